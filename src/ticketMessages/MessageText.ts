import { oneLine } from "../platform/text/OneLine.ts"
import { safeHtml, textOfHtml, textWithLinks } from "./MessageHtml.ts"

interface Given {
  readonly message?: string | undefined
  readonly textBody?: string | undefined
  readonly htmlBody?: string | undefined
  readonly preview?: string | undefined
}

const firstFilled = (...texts: ReadonlyArray<string | undefined>) => texts.find((text) => (text ?? "").trim() !== "")

const beginningOf = (text: string, longest: number) => {
  const line = oneLine(text)
  const short = [...line].slice(0, longest).join("")
  return short === line ? line : `${short.trimEnd()}…`
}

/**
 * The texts of a message, each derived from the others where the caller left it out. A message to be delivered may
 * reach clients that show no HTML, so its text includes the targets of its links.
 */
export const messageTexts = ({ htmlBody, message, preview, textBody }: Given, isDelivered = false) => {
  const read = isDelivered ? textWithLinks : textOfHtml
  const text = firstFilled(message, textBody) ?? (htmlBody === undefined ? undefined : read(htmlBody))
  return {
    message: text ?? null,
    textBody: textBody ?? null,
    htmlBody: htmlBody === undefined ? null : safeHtml(htmlBody),
    preview: preview ?? (text === undefined ? null : beginningOf(text, 200))
  }
}

/** What a new ticket is about: the subject, else the beginning of the text. */
export const ticketSubject = (subject: string | undefined, message: string | null) =>
  firstFilled(subject)?.trim() ?? (message === null || message.trim() === "" ? null : beginningOf(message, 100))
