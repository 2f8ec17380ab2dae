import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"

interface Sources {
  readonly ticketMessageID: TicketMessageID | null
  readonly quotes: ReadonlyArray<TicketMessageID>
}

/** Whether all messages that a run tells of still have their words. Belongs into the transaction that writes the run. */
export const makeHasWords = (sql: SqlClient.SqlClient) => {
  // Who deletes or erases a message locks its ticket and then looks for runs: behind that lock it is seen what is left.
  const lockTicket = (customerID: CustomerID, id: TicketMessageID) => sql`
    select 1 from ticket where customer_id = ${customerID} and ticket_id = (
      select ticket_id from ticket_message where customer_id = ${customerID} and ticket_message_id = ${id})
    for share`

  /** The message itself may have no text, but nothing at all is left of an erased one. */
  const isThere = (customerID: CustomerID, id: TicketMessageID) => sql`
    select 1 from ticket_message where customer_id = ${customerID} and ticket_message_id = ${id}
      and num_nonnulls(message, subject, from_address, from_name, uid, html_body, text_body) > 0`

  // What is quoted may be of other tickets, which are not waited for. A message that is just being deleted is passed over
  // and counts as gone; one that is held here is deleted afterwards, and then this run is found. Who erases looks twice.
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
