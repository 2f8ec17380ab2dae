import { Schema } from "effect"
import { CustomerID, CustomerRepID, TicketID } from "../../schema/Ids.ts"

/** Somebody types. It is said to whoever is there and kept nowhere. */
export const TypingSignal = Schema.Struct({
  customerID: CustomerID,
  ticketID: TicketID,
  from: Schema.String,
  /** None: the end user types. */
  customerRepID: Schema.NullOr(CustomerRepID)
})
export type TypingSignal = typeof TypingSignal.Type

/** What a node hears of what happens on all nodes. */
export type Signal =
  | { readonly _tag: "Recorded"; readonly customerID: CustomerID; readonly eventID: string }
  | { readonly _tag: "Typing"; readonly typing: TypingSignal }
  /** Nothing was missed so far; what transactions record that this snapshot does not see is still to be told. */
  | { readonly _tag: "Heartbeat"; readonly snapshot: string }
  /** The node may not have heard everything: what was recorded since the last heartbeats must be looked up. */
  | { readonly _tag: "Resumed" }
