import { escapeHtml } from "../platform/Html.ts"
import { safeHtml } from "../ticketMessages/MessageHtml.ts"

const escaped = (text: string) => escapeHtml(text).replaceAll('"', "&quot;")

const paragraphs = (text: string) =>
  text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll("\n", "<br>")}</p>`)
    .join("")

/** An answer as a mail shows it, with the signature below it. */
export const answerHtml = (
  text: string,
  signature: { readonly emailSignatureHTML: string | null; readonly emailSignatureText: string | null }
) => {
  const { emailSignatureHTML, emailSignatureText } = signature
  const below =
    emailSignatureHTML === null
      ? emailSignatureText === null
        ? ""
        : paragraphs(emailSignatureText)
      : safeHtml(emailSignatureHTML)
  return below === "" ? paragraphs(text) : `${paragraphs(text)}<div>${below}</div>`
}
