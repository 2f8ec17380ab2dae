import { Context, type Effect } from "effect"
import type { CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"

/** Answers that have not left, of whole tickets or single ones. */
export type Unsent =
  | { readonly ticketIDs: ReadonlyArray<TicketID> }
  | { readonly ticketMessageIDs: ReadonlyArray<TicketMessageID> }

/** Drafts that a mail provider keeps of answers on their way. */
export class UnsentDrafts extends Context.Tag("casework/UnsentDrafts")<
  UnsentDrafts,
  {
    /**
     * Takes the drafts of answers that nobody will send any more out of the mailbox, where somebody might send them by
     * accident. Belongs into the transaction of the cause, which holds their tickets, and before they are deleted.
     */
    readonly withdraw: (customerID: CustomerID, unsent: Unsent) => Effect.Effect<void>
  }
>() {}
