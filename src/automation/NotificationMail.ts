import { Effect, Layer, Option, Schema } from "effect"
import { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { SystemMail } from "../platform/systemMail/SystemMail.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { makeTicketMail } from "../tickets/TicketMail.ts"

const Payload = Schema.Struct({
  ticketID: TicketID,
  ticketMessageID: Schema.NullOr(TicketMessageID),
  to: Schema.String
})

export const notifyByMail = jobKind({
  kind: "NotifyByMail",
  payload: Payload
})

/** Sends the mail about a ticket that a NotifyEmail action asks for. */
export const NotificationMailJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const messages = yield* TicketMessagesRepo
    const mailer = yield* SystemMail
    const ticketMail = yield* makeTicketMail
    yield* jobs.handle(
      notifyByMail,
      fn("NotificationMail.send")(function* (customerID, { ticketID, ticketMessageID, to }, { jobID }) {
        const message = ticketMessageID === null ? Option.none() : yield* messages.find(customerID, ticketMessageID)
        const about = Option.getOrUndefined(message)
        const subject = about?.subject ?? null
        return yield* mailer.send(
          customerID,
          ticketMail("notification", {
            to,
            ticketID,
            ...(about !== undefined && { about: about.ticketMessageID }),
            jobID,
            subject: `Ticket ${ticketID}${subject === null ? "" : `: ${subject}`}`,
            text: `An automation sent this notification about ticket ${ticketID}.\n\n${(about?.message ?? "").slice(0, 5000)}`
          })
        )
      })
    )
  })
)
