import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"

interface Sources {
  readonly ticketMessageID: TicketMessageID | null
  readonly quotes: ReadonlyArray<TicketMessageID>
}

/** Whether all messages that a run mentions still have their text. Must run in the transaction that writes the run. */
export const makeHasWords = (sql: SqlClient.SqlClient) => {
  // Deleting or erasing a message locks its ticket before looking for runs: once this lock is held, the outcome is
  // visible.
  const lockTicket = (customerID: CustomerID, id: TicketMessageID) => sql`
    select 1 from ticket where customer_id = ${customerID} and ticket_id = (
      select ticket_id from ticket_message where customer_id = ${customerID} and ticket_message_id = ${id})
    for share`

  /** The message itself may have no text, but an erased one has nothing left at all. */
  const isThere = (customerID: CustomerID, id: TicketMessageID) => sql`
    select 1 from ticket_message where customer_id = ${customerID} and ticket_message_id = ${id}
      and num_nonnulls(message, subject, from_address, from_name, uid, html_body, text_body) > 0`

  // Quoted messages may be in other tickets, which are not locked. A message that is just being deleted is skipped and
  // counts as gone; one that is locked here is deleted afterwards, and the deletion finds this run. Erasing looks
  // twice.
  const holdQuotes = (customerID: CustomerID, quotes: ReadonlyArray<TicketMessageID>) => sql`
    select 1 from ticket_message
    where customer_id = ${customerID} and ticket_message_id = any(${[...quotes]}::int[]) and message is not null
    for key share skip locked`

  return (customerID: CustomerID, { quotes, ticketMessageID }: Sources) =>
    Effect.gen(function* () {
      if (ticketMessageID !== null) {
        yield* lockTicket(customerID, ticketMessageID)
        if ((yield* isThere(customerID, ticketMessageID)).length === 0) return false
      }
      return quotes.length === 0 || (yield* holdQuotes(customerID, quotes)).length === new Set(quotes).size
    })
}
