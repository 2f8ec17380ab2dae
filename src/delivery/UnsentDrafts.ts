import { Context, type Effect } from "effect"
import type { CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"

/** Answers that have not been sent, either single ones or all of some tickets. */
export type Unsent =
  | { readonly ticketIDs: ReadonlyArray<TicketID> }
  | { readonly ticketMessageIDs: ReadonlyArray<TicketMessageID> }

/** The drafts that a mail provider keeps of answers that are being sent. */
export class UnsentDrafts extends Context.Tag("casework/UnsentDrafts")<
  UnsentDrafts,
  {
    /**
     * Removes the drafts of cancelled answers from the mailbox, where somebody might send them by accident. Must run in
     * the transaction of its cause, which has locked the tickets, and before the answers are deleted.
     */
    readonly withdraw: (customerID: CustomerID, unsent: Unsent) => Effect.Effect<void>
  }
>() {}
