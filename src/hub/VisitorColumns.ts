import { isoDate } from "../platform/database/JsonColumns.ts"

/** A message as the visitor of a chat sees it, from ticket_message m. */
export const visitorColumns = `
  m.ticket_message_id as "messageID", m.ticket_id as "ticketID", ${isoDate("m.created_at")} as "dateCreated",
  m.sender_type as "senderType",
  (select coalesce(nullif(r.name, ''), r.username) from customer_rep r
    where r.customer_id = m.customer_id and r.customer_rep_id = m.customer_rep_id) as "customerRepName",
  m.message, m.html_body as "htmlBody", m.page_url as "pageURL",
  exists (select 1 from ticket_message_attachment a
    where a.customer_id = m.customer_id and a.ticket_message_id = m.ticket_message_id) as "hasAttachment"`
