import type { SqlClient, Statement } from "@effect/sql"
import { DateTime } from "effect"
import type { CustomFields } from "../../schema/CustomFields.ts"
import type { ChannelID, CustomerID, CustomerRepID, TicketMessageID } from "../../schema/Ids.ts"
import type { MessageStatus, SenderType } from "../../schema/TicketMessages.ts"
import type { Placeholder } from "../platform/database/WrittenOnce.ts"

/** A message without its ticket, which the same statement may create. */
export interface NewMessage {
  readonly channelID: ChannelID
  readonly senderType: SenderType
  readonly customerRepID: CustomerRepID | null
  readonly status: MessageStatus
  readonly message: string | null
  readonly subject: string | null
  readonly fromAddress: string | null
  readonly fromName: string | null
  readonly toAddress: string | null
  readonly uid: string | null
  readonly htmlBody: string | null
  readonly textBody: string | null
  readonly preview: string | null
  readonly pageURL: string | null
  readonly pageScreenshot: string | null
  readonly messageDate: DateTime.Utc | null
  readonly isOpened: boolean
  readonly isAutomatic: boolean
  readonly answersMessageID: TicketMessageID | null
  readonly customFieldsData: CustomFields
}

/** A value of the message in the form that a statement takes. */
export const valueOf = (message: NewMessage, name: keyof NewMessage) => {
  if (name === "customFieldsData") return JSON.stringify(message.customFieldsData)
  const value = message[name]
  return DateTime.isDateTime(value) ? DateTime.formatIso(value) : value
}

/** The insert of a message into the ticket that `ticket` provides as a row with ticket_id. */
export const storing = (
  sql: SqlClient.SqlClient,
  customerID: CustomerID | Placeholder,
  value: (name: keyof NewMessage) => unknown,
  ticket: Statement.Fragment
) => sql`
  insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, customer_rep_id, status, message, subject,
    from_address, from_name, to_address, uid, html_body, text_body, preview, page_url, page_screenshot, message_date,
    is_opened, is_automatic, answers_message_id, custom_fields)
  select ${customerID}::int, ticket.ticket_id, ${value("channelID")}::int, ${value("senderType")}::text,
    ${value("customerRepID")}::int, ${value("status")}::text, ${value("message")}::text, ${value("subject")}::text,
    ${value("fromAddress")}::text, ${value("fromName")}::text, ${value("toAddress")}::text, ${value("uid")}::text, ${value("htmlBody")}::text,
    ${value("textBody")}::text, ${value("preview")}::text, ${value("pageURL")}::text, ${value("pageScreenshot")}::text,
    ${value("messageDate")}::timestamptz, ${value("isOpened")}::boolean, ${value("isAutomatic")}::boolean,
    ${value("answersMessageID")}::int, ${value("customFieldsData")}::jsonb
  from ${ticket}`
