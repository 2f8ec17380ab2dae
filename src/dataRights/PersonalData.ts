import { forgottenID } from "../mail/MailMessagesRepo.ts"

/** What happens to a row about the person: it is deleted, or these columns are set to the given SQL. */
export type Erasing = "delete" | Readonly<Record<string, string>>

interface PersonalTable {
  /** The name used in the receipt and in the export file. */
  readonly name: string
  readonly erasing: Erasing
  /**
   * The columns that an export shows; none for copies of what it shows elsewhere. The SQL may use own_messages and
   * own_tickets, the ids of the person's messages and tickets.
   */
  readonly shown?: string
}

/** The parts of a prompt's input that are other messages: the person's own are in the export anyway. */
const othersIn = "'{corrections,history,messages}'::text[]"

/** Detected topics are nobody's words; other output that is based on others' messages may reveal them. */
const isOwnAnswer = "(purpose = 'Topics' or quotes <@ own_messages)"

/**
 * Both passes set it, so hashing is idempotent. An older version may have imported the same mail twice; then only one
 * of the two rows keeps the hash.
 */
const messageIDLeft = `case when internet_message_id like 'sha256:%' then internet_message_id else (
  select gone.id from (select ${forgottenID("mail_message.internet_message_id")} as id) gone where not exists (
    select from mail_message same where same.customer_id = mail_message.customer_id
      and same.channel_id = mail_message.channel_id and same.internet_message_id = gone.id
      and same.content_hash = mail_message.content_hash)) end`

/**
 * The tables with data about end users, in the order in which they are erased. Every other column that could hold words
 * is listed in ImpersonalData with the reason; a test compares both with the database.
 */
export const personalTables = {
  job: {
    name: "Jobs",
    erasing: "delete",
    shown: `kind, payload, status, error, created_at as "createdAt"`
  },
  idempotency: { name: "KeptAnswers", erasing: "delete" },
  ticket_message_attachment: {
    name: "Attachments",
    erasing: "delete",
    shown: `ticket_message_attachment_id as "attachmentID", ticket_message_id as "messageID", file_name as "fileName",
      content_type as "contentType", is_end_user_provided as "isEndUserProvided", created_at as "createdAt"`
  },
  ai_run: {
    name: "AiRuns",
    erasing: {
      system_prompt: "''",
      user_prompt: "''",
      prompt_input: "null",
      output: "null",
      sent_text: "null",
      error: "null"
    },
    shown: `ai_run_id as "aiRunID", ticket_message_id as "messageID", purpose, model_name as "modelName",
      case when quotes <@ own_messages then prompt_input when purpose <> 'Summary' then prompt_input - ${othersIn}
        end as "question",
      case when ${isOwnAnswer} then output end as "answer", case when ${isOwnAnswer} then sent_text end as "sentText",
      created_at as "createdAt"`
  },
  event: {
    name: "Events",
    erasing: { details: "'{}'" },
    shown: `event_id::text as "eventID", kind, ticket_id as "ticketID", ticket_message_id as "messageID", details, at`
  },
  pipeline_step: { name: "PipelineSteps", erasing: { outcome: "'Erased'", kind: "'Done'" } },
  draft_call: {
    name: "DraftCalls",
    erasing: "delete",
    shown: `ticket_message_id as "messageID", document_id as "documentID", content, error, begun_at as "begunAt"`
  },
  message_action: {
    name: "Actions",
    erasing: {
      error: "null",
      status: "case when status in ('Waiting', 'Running') then 'Skipped' else status end"
    },
    shown: `message_action_id::text as "actionRunID", name, operation, status, error, run_at as "dateRun"`
  },
  mail_message: {
    name: "Mails",
    // What remains keeps the mail from being imported again, even as a copy from another folder.
    erasing: {
      internet_message_id: messageIDLeft,
      conversation_id: "null",
      participants: "'{}'",
      waits_for: "null",
      is_due: "false"
    },
    shown: `mail_message_id as "mailID", ticket_message_id as "messageID", internet_message_id as "internetMessageID",
      participants, is_outgoing as "isOutgoing", created_at as "createdAt"`
  },
  failed_mail: {
    name: "SetAsideMails",
    erasing: "delete",
    shown: `failed_mail_id as "mailID", error, attempts, created_at as "createdAt"`
  },
  channel_folder: { name: "FolderErrors", erasing: { last_error: "null" } },
  outbox_mail: {
    name: "OutboxMails",
    erasing: "delete",
    shown: `outbox_mail_id as "mailID", recipient, created_at as "createdAt"`
  },
  // The receipt stays; its file is deleted.
  data_request: { name: "Exports", erasing: { blob_id: "null", expires_at: "now()" } },
  ticket_message: {
    name: "Messages",
    erasing: {
      ...Object.fromEntries(
        `message subject from_address from_name to_address uid html_body text_body preview page_url page_screenshot
        ai_feedback_comment ai_reply delivery_error`
          .split(/\s+/)
          .map((column) => [column, "null"])
      ),
      custom_fields: "'{}'",
      // There is nobody left to deliver it to.
      is_given_up: "is_given_up or (sender_type = 'CustomerRep' and status in ('Queued', 'Failed'))",
      // The jobs that would have continued it are stopped.
      status: "case status when 'Queued' then 'Failed' when 'Processing' then 'Received' else status end",
      is_persons_draft: "false",
      modified_at: "now()"
    },
    shown: `ticket_message_id as "messageID", ticket_id as "ticketID", sender_type as "senderType", status, subject,
      message, html_body as "htmlBody", text_body as "textBody", from_address as "fromAddress", from_name as "fromName",
      to_address as "toAddress", uid, page_url as "pageURL", page_screenshot as "pageScreenshot",
      case when ticket_id = any(own_tickets) then ai_reply end as "aiReply",
      ai_feedback_comment as "feedbackComment", liked, custom_fields as "customFields",
      array(select t.name from ticket_message_topic f
        join topic t on t.customer_id = f.customer_id and t.topic_id = f.topic_id
        where f.customer_id = ticket_message.customer_id and f.ticket_message_id = ticket_message.ticket_message_id
        order by f.ticket_message_topic_id) as topics,
      message_date as "messageDate", created_at as "createdAt"`
  },
  ticket: {
    name: "Tickets",
    erasing: {
      end_user_id: "null",
      subject: "null",
      custom_fields: "'{}'",
      history_summary: "null",
      history_summary_message_id: "null",
      // The old token is in the person's mails and links.
      ticket_token: "gen_random_uuid()",
      modified_at: "now()"
    },
    shown: `ticket_id as "ticketID", status, subject, language, is_spam as "isSpam", liked,
      custom_fields as "customFields", history_summary as "historySummary", created_at as "createdAt"`
  },
  end_user_uid: {
    name: "Uids",
    erasing: "delete",
    shown: `end_user_uid_id as "endUserUIDID", uid, uid_type as "uidType", is_primary as "isPrimary"`
  },
  end_user: {
    name: "EndUsers",
    erasing: "delete",
    shown: `end_user_id as "endUserID", first_name as "firstName", last_name as "lastName",
      display_name as "displayName", email, phone, customer_ref as "customerRef", notes, created_at as "createdAt"`
  }
} as const satisfies Readonly<Record<string, PersonalTable>>

export type PersonalTableName = keyof typeof personalTables

/** With the type widened to what all tables have in common. */
export const personalTable = (table: PersonalTableName): PersonalTable => personalTables[table]
