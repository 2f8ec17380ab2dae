import { Effect, Layer, Option, Schema } from "effect"
import { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { SystemMail } from "../platform/systemMail/SystemMail.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"

const Payload = Schema.Struct({
  ticketID: TicketID,
  ticketMessageID: Schema.NullOr(TicketMessageID),
  to: Schema.String
})

export const notifyByMail = jobKind({
  kind: "NotifyByMail",
  payload: Payload
})

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, 200)

/** Sends the mail about a ticket that a NotifyEmail action asks for. */
export const NotificationMailJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const messages = yield* TicketMessagesRepo
    const mailer = yield* SystemMail
    const { hostname } = new URL((yield* Settings).baseUrl)
    yield* jobs.handle(
      notifyByMail,
      fn("NotificationMail.send")(function* (customerID, { ticketID, ticketMessageID, to }, { jobID }) {
        const message = ticketMessageID === null ? Option.none() : yield* messages.find(customerID, ticketMessageID)
        const subject = Option.flatMap(message, (found) => Option.fromNullable(found.subject))
        const text = Option.flatMap(message, (found) => Option.fromNullable(found.message))
        return yield* mailer.send(customerID, {
          to,
          ...(Option.isSome(message) && { about: message.value.ticketMessageID }),
          messageId: `<casework-notification-${jobID}@${hostname}>`,
          subject: oneLine(
            `Ticket ${ticketID}${Option.match(subject, { onNone: () => "", onSome: (it) => `: ${it}` })}`
          ),
          text: `An automation asked to tell you about ticket ${ticketID}.\n\n${Option.getOrElse(text, () => "").slice(0, 5000)}\n`
        })
      })
    )
  })
)
