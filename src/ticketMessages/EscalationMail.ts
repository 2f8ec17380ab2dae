import { Effect, Layer, Option, Schema } from "effect"
import { TicketMessageID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { SystemMail } from "../platform/systemMail/SystemMail.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { oneLine } from "../platform/text/OneLine.ts"
import { makeTicketMail } from "../tickets/TicketMail.ts"
import { type StoredMessage, TicketMessagesRepo } from "./TicketMessagesRepo.ts"

const Payload = Schema.Struct({
  ticketMessageID: TicketMessageID,
  to: Schema.String,
  /** What the visitor asks, if the message's own comment is a person's. */
  wish: Schema.optionalWith(Schema.String, { exact: true })
})

export const notifyEscalation = jobKind({
  kind: "NotifyEscalation",
  payload: Payload
})

const escalationText = (
  { feedbackComment, fromAddress, fromName, message, subject, ticketID, uid }: StoredMessage,
  wish: string | null
) => {
  const sender = oneLine([fromName, fromAddress ?? uid].filter((part) => part !== null).join(" "))
  const comments = [wish, feedbackComment].filter((comment) => comment !== null)
  return `Ticket ${ticketID} was escalated.

From: ${sender || "unknown"}
${subject === null || subject.trim() === "" ? "" : `Subject: ${oneLine(subject)}\n`}${comments.map((comment) => `Comment: ${oneLine(comment).slice(0, 2000)}\n`).join("")}
${(message ?? "").slice(0, 5000)}`
}

/** Tells a person of the customer that a ticket was escalated. */
export const EscalationMailJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const messages = yield* TicketMessagesRepo
    const mailer = yield* SystemMail
    const ticketMail = yield* makeTicketMail
    yield* jobs.handle(
      notifyEscalation,
      fn("EscalationMail.send")(function* (customerID, { ticketMessageID, to, wish = null }, { jobID }) {
        const found = yield* messages.find(customerID, ticketMessageID)
        if (Option.isNone(found)) return
        const { subject, ticketID } = found.value
        return yield* mailer.send(
          customerID,
          ticketMail("escalation", {
            to,
            ticketID,
            about: ticketMessageID,
            jobID,
            subject: `Ticket ${ticketID} needs a person${subject === null ? "" : `: ${subject}`}`,
            text: escalationText(found.value, wish)
          })
        )
      })
    )
  })
)
