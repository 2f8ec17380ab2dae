import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { CustomerID, TicketID } from "../../schema/Ids.ts"
import { notifyEscalation } from "./EscalationMail.ts"

/** The mails about escalations, which are jobs. */
export const makeEscalationMailsRepo = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Whether the address has been mailed about the ticket in the last quarter of an hour. */
  wasMailedLately: (customerID: CustomerID, ticketID: TicketID, address: string) =>
    sql`
      select 1 from job j
      join ticket_message m on m.customer_id = j.customer_id
        and m.ticket_message_id = (j.payload ->> 'ticketMessageID')::int
      where j.customer_id = ${customerID} and j.created_at > now() - interval '15 minutes'
        and j.kind = ${notifyEscalation.kind} and j.payload ->> 'to' = ${address} and m.ticket_id = ${ticketID}
      limit 1`.pipe(
      Effect.map(({ length }) => length > 0),
      Effect.orDie
    )
}))
