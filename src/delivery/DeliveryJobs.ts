import { Schema } from "effect"
import { TicketMessageID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"

const Message = Schema.Struct({
  ticketMessageID: TicketMessageID,
  /** The automation run whose action sends it: whatever follows from the delivery belongs to the same chain. */
  automationRunID: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })
})

/** Enqueued in the transaction that stores the message. */
export const deliverMessage = jobKind({
  kind: "DeliverMessage",
  payload: Message
})
