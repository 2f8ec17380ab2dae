import { Cause, Clock, Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { Delivery, NotDelivered, type OutboundMessage } from "../delivery/Delivery.ts"
import { deliverMessage } from "../delivery/DeliveryJobs.ts"
import { inChain } from "../events/Chain.ts"
import { Events } from "../events/Events.ts"
import { BytesMissing, StoreAway } from "../platform/BlobTrouble.ts"
import { persistently } from "../platform/database/DatabaseAway.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { storable } from "../platform/database/Storable.ts"
import { catchBreakage, type JobClaim } from "../platform/queue/JobClaim.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { comeBackAfter } from "../platform/queue/Patience.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { deliveries } from "../platform/telemetry/ServiceMetrics.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { makeMarkFailed } from "./MarkFailed.ts"
import { OutboundRepo } from "./OutboundRepo.ts"

// Shorter than a job may run, so that the failure is recorded on the message; long enough for large files.
const longestDelivery = "5 minutes"

const comeBack = ({ isAway = false, permanent, retryAfterSeconds }: NotDelivered, { createdAt }: OutboundMessage) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    permanent ? undefined : comeBackAfter((now - createdAt.getTime()) / 1000, { isAway, retryAfterSeconds })
  )

/**
 * Describes the breakage for the message's history. When its files cannot be read nothing has left: they go before the
 * message or with it.
 */
const brokenBy = (defect: unknown) => {
  if (defect instanceof StoreAway) {
    return new NotDelivered({ message: "The file store does not respond", permanent: false, isAway: true })
  }
  const message =
    defect instanceof BytesMissing
      ? "A file of the message is missing from the file store"
      : "The delivery failed unexpectedly"
  return new NotDelivered({ message, permanent: false })
}

export const DeliverMessageJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const inTransaction = yield* InTransaction
    const jobs = yield* Jobs
    const delivery = yield* Delivery
    const outbound = yield* OutboundRepo
    const messages = yield* TicketMessagesRepo
    const events = yield* Events
    const markFailed = yield* makeMarkFailed

    // Runs only while this node holds the job, so that the consequences of a delivery happen once.
    const markSent = fn("DeliverMessage.markSent")(function* (
      customerID: CustomerID,
      message: OutboundMessage,
      claim: JobClaim,
      deliveryError: string | null
    ) {
      const { channelType, ticketID, ticketMessageID } = message
      const { afterwards = () => Effect.void } = delivery[channelType]
      yield* claim.confirm
      const found = yield* messages.findForUpdate(customerID, ticketMessageID)
      // It may be marked already: the response to an earlier attempt's commit can get lost.
      if (Option.isNone(found) || found.value.status === "Sent") return
      yield* messages.update(customerID, ticketMessageID, { status: "Sent", deliveryError })
      yield* events.record(customerID, [{ kind: "MessageSent", ticketID, ticketMessageID }])
      yield* afterwards(customerID, message)
    }, inTransaction)

    /** Ends every attempt, so that no message waits forever without anybody knowing. */
    const deliver = (customerID: CustomerID, message: OutboundMessage, attempt: number) =>
      delivery[message.channelType].deliver(customerID, message, attempt).pipe(
        Effect.timeoutFail({
          duration: longestDelivery,
          onTimeout: () => new NotDelivered({ message: "The delivery took too long", permanent: false })
        }),
        catchBreakage((defect) =>
          Effect.zipRight(Effect.logError("delivery failed unexpectedly", Cause.die(defect)), brokenBy(defect))
        )
      )

    yield* jobs.handle(
      deliverMessage,
      fn("DeliverMessage.run")(function* (customerID, { automationRunID, ticketMessageID }, attempt) {
        const found = yield* outbound.findWaiting(customerID, ticketMessageID)
        if (Option.isNone(found)) return
        const message = found.value
        const count = (outcome: string) => deliveries.add({ channel: message.channelType, outcome })
        return yield* deliver(customerID, message, attempt.number).pipe(
          Effect.as(null),
          // Some recipients have got the message: it is not sent to them again, and its history says who is missing.
          Effect.catchIf(
            ({ hasLeft }) => hasLeft === true,
            (failure) =>
              Effect.as(
                // The message names the missing recipients; the log would keep their addresses forever.
                Effect.annotateLogs(Effect.logWarning("message not delivered to all recipients"), { ticketMessageID }),
                storable(failure.message)
              )
          ),
          // While the database is away for a moment, the message must not seem unsent: it would be sent again.
          Effect.flatMap((deliveryError) => persistently(markSent(customerID, message, attempt, deliveryError))),
          Effect.tap(() => count("sent")),
          Effect.catchTag("NotDelivered", (failure) =>
            Effect.gen(function* () {
              const again = yield* comeBack(failure, message)
              const isFinal = again === undefined && (failure.permanent || attempt.isLast)
              yield* markFailed(customerID, message, attempt, failure, isFinal)
              count(isFinal ? "failed" : "retried")
              if (again !== undefined) return again
              return yield* isFinal ? Effect.logWarning("message not delivered", failure) : Effect.fail(failure)
            })
          ),
          inChain(automationRunID)
        )
      }),
      fn("DeliverMessage.giveUp")(function* (customerID, { automationRunID, ticketMessageID }, claim, reason) {
        const found = yield* outbound.findWaiting(customerID, ticketMessageID)
        if (Option.isNone(found)) return
        const failure = new NotDelivered({ message: reason, permanent: true })
        yield* inChain(automationRunID)(markFailed(customerID, found.value, claim, failure, true))
      })
    )
  })
)
