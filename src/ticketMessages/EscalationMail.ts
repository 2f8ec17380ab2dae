import { Effect, Layer, Option, Schema } from "effect"
import { TicketMessageID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { SystemMail } from "../platform/systemMail/SystemMail.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type StoredMessage, TicketMessagesRepo } from "./TicketMessagesRepo.ts"

const Payload = Schema.Struct({ ticketMessageID: TicketMessageID, to: Schema.String })

export const notifyEscalation = jobKind({
  kind: "NotifyEscalation",
  payload: Payload
})

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()

const escalationMail = (
  to: string,
  { feedbackComment, fromAddress, fromName, message, subject, ticketID, ticketMessageID, uid }: StoredMessage
) => ({
  to,
  about: ticketMessageID,
  subject: oneLine(`Ticket ${ticketID} needs a person${subject === null ? "" : `: ${subject}`}`).slice(0, 200),
  text: `Ticket ${ticketID} was escalated.

From: ${oneLine([fromName, fromAddress ?? uid].filter((part) => part !== null).join(" ")) || "unknown"}
Subject: ${oneLine(subject ?? "") || "none"}
${feedbackComment === null ? "" : `Comment: ${oneLine(feedbackComment).slice(0, 2000)}\n`}
${(message ?? "").slice(0, 5000)}
`
})

export const EscalationMailJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const messages = yield* TicketMessagesRepo
    const mailer = yield* SystemMail
    const { hostname } = new URL((yield* Settings).baseUrl)
    yield* jobs.handle(
      notifyEscalation,
      fn("EscalationMail.send")(function* (customerID, { ticketMessageID, to }, { jobID }) {
        const found = yield* messages.find(customerID, ticketMessageID)
        if (Option.isNone(found)) return
        const messageId = `<casework-escalation-${jobID}@${hostname}>`
        return yield* mailer.send(customerID, { ...escalationMail(to, found.value), messageId })
      })
    )
  })
)
