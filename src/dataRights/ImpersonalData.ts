/** Values that identify, count or refer, and are nobody's words. */
const names = "a value of the service itself: a kind, a status or an id"

/** What the customer writes about its own organisation. */
const organisation = "the customer's own settings, written by its representatives"

const representatives = "about a representative, not an end user"

const reports = "condition reports are about other people and are not linked to an end user"

/**
 * Columns that could hold words and yet are not touched when an end user is erased, with the reason. A table stands for
 * all of its columns that PersonalData does not name.
 */
export const impersonalColumns: Readonly<Record<string, string>> = {
  customer: organisation,
  login_hostname: organisation,
  customer_feature: organisation,
  model: organisation,
  channel: organisation,
  channel_translation: organisation,
  action: organisation,
  topic: organisation,
  document: organisation,
  topic_action: organisation,
  topic_document: organisation,
  page_topic_mapping: organisation,
  customer_rep: representatives,
  customer_rep_signature: representatives,
  password_reset: representatives,
  audit_log: "what representatives did, by their ids",
  attempt: "usernames, addresses and numbers of failed logins, kept for an hour",
  place_description_report: reports,
  place_description_room: reports,
  place_description_room_version: reports,
  place_description_room_photo: reports,
  periodic_work: names,
  mailbox_turn: "addresses of the customers' own mailboxes, kept briefly",
  mailbox_pause: "addresses of the customers' own mailboxes, kept until the provider accepts requests again",
  mailbox_wish: "addresses of the customers' own mailboxes, kept briefly",
  casework_migrations: names,
  installation: "the place of the files, and a check value for the secrets key",
  ticket_tally: names,
  topic_correction: "names of topics",
  automation_run: names,
  blob_chunk: "deleted with its blob once nothing refers to that",
  "ticket.status": names,
  "ticket.last_sender_type": names,
  "ticket.language": "a language does not identify a person",
  "ticket_message.sender_type": names,
  "ai_run.purpose": names,
  "ai_run.slot": names,
  "ai_run.model_name": names,
  "ai_run.prompt_version": names,
  "ai_run.answer_schema": "the schema of the expected answer",
  "ai_run.documents": "ids and versions of documents",
  "ai_run.outcome": names,
  "event.kind": names,
  "pipeline_step.step": names,
  "message_action.name": organisation,
  "message_action.operation": names,
  "message_action.parameters": organisation,
  "message_action.hook_name": names,
  "mail_message.external_id": "the provider's id of a mail, which prevents a second import",
  "mail_message.content_hash": "a hash that recognises the same mail and does not reveal its content",
  sent_text: "the provider's id of a text message, which distinguishes it from others",
  "channel_folder.name": organisation,
  "channel_folder.folder_type": names,
  "channel_folder.external_folder_id": names,
  "channel_folder.subscription_id": names,
  "channel_folder.client_state": "a random secret",
  "channel_folder.delta_link": "the provider's address of a list",
  "data_request.kind": names,
  "data_request.counts": "numbers",
  "data_request.hash": "a hash of the receipt or of a file that no longer exists"
}
