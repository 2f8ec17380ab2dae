/**
 * Every table with rows of customers, in the order in which they are emptied when a customer is removed: a table comes
 * before those it references. A test compares the list with the database.
 */
export const customerTables = [
  "job",
  "idempotency",
  "password_reset",
  "hub_presence",
  "outbox_mail",
  "audit_log",
  "data_request",
  "event",
  "message_action",
  "automation_run",
  "pipeline_step",
  "draft_call",
  "ai_run",
  "sent_text",
  "mail_message",
  "failed_mail",
  "ticket_message_attachment",
  "ticket_message_topic",
  "topic_correction",
  "ticket_message",
  "ticket",
  "ticket_tally",
  "end_user_uid",
  "end_user",
  "place_description_room_photo",
  "place_description_room_version",
  "place_description_room",
  "place_description_report",
  "blob_chunk",
  "blob",
  "blob_removal",
  "channel_folder",
  "channel_translation",
  "topic_action",
  "topic_document",
  "page_topic_mapping",
  "channel",
  "action",
  "topic",
  "document",
  "customer_rep_signature",
  "customer_rep",
  "model",
  "customer_feature",
  "login_hostname"
] as const

export type CustomerTable = (typeof customerTables)[number]

/** The tables whose rows stand for bytes in the store: a row is removed after its bytes. */
export type BlobTable = Extract<CustomerTable, "blob" | "blob_removal">

export const isBlobTable = (table: CustomerTable): table is BlobTable => table === "blob" || table === "blob_removal"
