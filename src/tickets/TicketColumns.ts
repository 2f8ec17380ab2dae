import { isoDate } from "../platform/database/JsonColumns.ts"
import { mailSystemPattern } from "../platform/text/MailSystem.ts"

// Not a join: the planner would walk through all tickets of each channel instead of the newest ones.
export const channelType = `(
    select c.channel_type from channel c where c.customer_id = t.customer_id and c.channel_id = t.channel_id)`

/** The names of a ticket's topics; null when there are none. */
export const topicNames = `(
    select json_agg(distinct topic.name) from ticket_message_topic m
    join topic on topic.customer_id = m.customer_id and topic.topic_id = m.topic_id
    where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id)`

/** The comments given when a ticket was escalated; null when there are none. */
export const feedbackComments = `(
    select json_agg(m.ai_feedback_comment order by m.ticket_message_id) from ticket_message m
    where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id and m.ai_feedback_comment is not null)`

const ofTicket = "m.customer_id = t.customer_id and m.ticket_id = t.ticket_id and not m.is_given_up"

/** Automatic mail neither asks nor answers, except a bounce: the answer before it has reached nobody. */
const counts = `(not m.is_automatic or m.sender_type = 'EndUser' and m.from_address ~* '${mailSystemPattern}')`

/**
 * Who wrote a ticket's last message that counts; it is looked up where it is not noted. Where none counts it is EndUser
 * if there is anything of theirs, the greater of the two words.
 */
export const lastSenderType = `coalesce(t.last_sender_type,
    (select m.sender_type from ticket_message m where ${ofTicket} and ${counts}
      order by m.created_at desc, m.ticket_message_id desc limit 1),
    (select max(m.sender_type) from ticket_message m where ${ofTicket}))`

/** A ticket as the API shows it, from ticket t. */
export const ticketColumns = `
  t.ticket_id as "ticketID", ${isoDate("t.created_at")} as "dateCreated", t.status, t.subject,
  t.channel_id as "channelID", ${channelType} as "channelType", t.end_user_id as "endUserID",
  t.customer_rep_id as "customerRepID", t.status = 'Closed' as "isClosed", t.is_spam as "isSpam", t.language,
  ${isoDate("t.last_message_at")} as "lastMessageDate", ${lastSenderType} as "lastSenderType",
  coalesce(${topicNames}, '[]') as topics, coalesce(${feedbackComments}, '[]') as "aiFeedbackComments",
  t.custom_fields as "customFieldsData", t.ticket_token as "ticketToken"`
