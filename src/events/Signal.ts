import { Schema } from "effect"
import { CustomerID, CustomerRepID, TicketID } from "../../schema/Ids.ts"

/** Somebody is typing. Sent to connected clients only and stored nowhere. */
export const TypingSignal = Schema.Struct({
  customerID: CustomerID,
  ticketID: TicketID,
  from: Schema.String,
  /** null when the end user is typing. */
  customerRepID: Schema.NullOr(CustomerRepID)
})
export type TypingSignal = typeof TypingSignal.Type

/** What a node hears about events on all nodes. */
export type Signal =
  | { readonly _tag: "Recorded"; readonly customerID: CustomerID; readonly eventID: string }
  | { readonly _tag: "Typing"; readonly typing: TypingSignal }
  /** Nothing has been missed so far; events of transactions that this snapshot does not see are still to come. */
  | { readonly _tag: "Heartbeat"; readonly snapshot: string }
  /** The node may have missed something: events recorded since the last heartbeats must be looked up. */
  | { readonly _tag: "Resumed" }
