import { Effect } from "effect"
import type { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { JobID } from "../../schema/Jobs.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { oneLine } from "../platform/text/OneLine.ts"

interface TicketNews {
  readonly to: string
  readonly ticketID: TicketID
  readonly subject: string
  readonly text: string
  /** The message that the mail quotes: the mail is erased with it. */
  readonly about?: TicketMessageID
  /** Every attempt of the job sends the same mail. */
  readonly jobID: JobID
}

const longestSubject = 200

/** Composes mails that tell people of the customer about a ticket, with a link to it. */
export const makeTicketMail = Effect.map(Settings, ({ baseUrl }) => {
  const { hostname } = new URL(baseUrl)
  return (kind: "escalation" | "notification", { jobID, subject, text, ticketID, ...mail }: TicketNews) => ({
    ...mail,
    subject: oneLine(subject).slice(0, longestSubject),
    text: `${text.trimEnd()}\n\nOpen the ticket: ${baseUrl}/desk#/tickets/${ticketID}\n`,
    messageId: `<casework-${kind}-${jobID}@${hostname}>`
  })
})
