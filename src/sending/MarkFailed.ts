import { Effect, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { NotDelivered, OutboundMessage } from "../delivery/Delivery.ts"
import { UnsentDrafts } from "../delivery/UnsentDrafts.ts"
import { Events } from "../events/Events.ts"
import { HistorySummariesRepo } from "../historySummaries/HistorySummariesRepo.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { storable } from "../platform/database/Storable.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"

type Undelivered = Pick<OutboundMessage, "answersMessageID" | "ticketID" | "ticketMessageID">

/** Stores the failure; when it is final, the answered message is open again. */
export const makeMarkFailed = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const messages = yield* TicketMessagesRepo
  const events = yield* Events
  const drafts = yield* UnsentDrafts
  const summaries = yield* HistorySummariesRepo

  // Runs only while this node holds the job, so that the consequences of a failure happen once.
  return fn("MarkFailed.mark")(function* (
    customerID: CustomerID,
    { answersMessageID, ticketID, ticketMessageID }: Undelivered,
    claim: JobClaim,
    failure: NotDelivered,
    isFinal: boolean
  ) {
    yield* claim.confirm
    const reason = storable(failure.message)
    if (Option.isNone(yield* messages.findForUpdate(customerID, ticketMessageID))) return
    if (!isFinal) {
      yield* messages.update(customerID, ticketMessageID, { status: "Failed", deliveryError: reason })
      return
    }
    yield* messages.giveUp(customerID, ticketMessageID, reason)
    // A text may turn out to be lost after newer messages came: a summary up to one of those tells of it.
    yield* summaries.forget(customerID, ticketID)
    yield* drafts.withdraw(customerID, { ticketMessageIDs: [ticketMessageID] })
    if (answersMessageID !== null) yield* messages.update(customerID, answersMessageID, { status: "Failed" })
    yield* events.record(customerID, [{ kind: "SendFailed", ticketID, ticketMessageID, details: { reason } }])
  }, inTransaction)
})
