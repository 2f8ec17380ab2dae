import type { SqlClient } from "@effect/sql"

/** Whether the message `m` is an answer that a person wrote in the mailbox itself, bypassing this service. */
export const fromMailbox = (sql: SqlClient.SqlClient) =>
  sql`(m.sender_type = 'CustomerRep' and not m.is_automatic and exists (
    select from mail_message k where k.customer_id = m.customer_id and k.ticket_message_id = m.ticket_message_id
      and not k.is_outgoing))`
