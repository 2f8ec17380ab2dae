import { isoDate } from "../platform/database/JsonColumns.ts"

/** A message as the API shows it, from ticket_message m and what other tables know about it. */
const columnsWith = (others: {
  readonly customerRepName: string
  readonly hasAttachment: string
  readonly topics: string
  readonly actions: string
}) => `
  m.ticket_message_id as "messageID", m.ticket_id as "ticketID", m.channel_id as "channelID",
  ${isoDate("m.created_at")} as "dateCreated", ${isoDate("m.message_date")} as "messageDate",
  m.sender_type as "senderType", m.customer_rep_id as "customerRepID",
  ${others.customerRepName} as "customerRepName",
  m.status, m.subject, m.message, m.preview, m.html_body as "htmlBody", m.text_body as "textBody",
  m.from_address as "fromAddress", m.from_name as "fromName", m.to_address as "toAddress", m.uid,
  m.page_url as "pageURL", m.page_screenshot as "pageScreenshot", m.is_opened as "isOpened",
  m.is_escalated as "isEscalated", ${others.hasAttachment} as "hasAttachment",
  m.ai_feedback_comment as "aI_FeedbackComment", m.ai_reply as "aiReply", ${others.topics} as topics,
  m.custom_fields as "customFieldsData", ${others.actions} as actions`

export const customerRepName = `(select coalesce(nullif(r.name, ''), r.username) from customer_rep r
    where r.customer_id = m.customer_id and r.customer_rep_id = m.customer_rep_id)`

export const hasAttachment = `exists (select 1 from ticket_message_attachment a
    where a.customer_id = m.customer_id and a.ticket_message_id = m.ticket_message_id)`

/** Sort keys of message lists for columns that hold several values; null when a message has none. */
export const topicNames = `(
    select string_agg(topic.name, ' ' order by x.ticket_message_topic_id)
    from ticket_message_topic x join topic on topic.customer_id = x.customer_id and topic.topic_id = x.topic_id
    where x.customer_id = m.customer_id and x.ticket_message_id = m.ticket_message_id)`

export const actionNames = `(
    select string_agg(a.name, ' ' order by a.message_action_id) from message_action a
    where a.customer_id = m.customer_id and a.ticket_message_id = m.ticket_message_id)`

export const messageColumns = columnsWith({
  customerRepName,
  hasAttachment,
  topics: `coalesce((
    select json_agg(json_build_object('ticketMessageTopicID', x.ticket_message_topic_id, 'topicID', x.topic_id,
      'topicName', topic.name) order by x.ticket_message_topic_id)
    from ticket_message_topic x join topic on topic.customer_id = x.customer_id and topic.topic_id = x.topic_id
    where x.customer_id = m.customer_id and x.ticket_message_id = m.ticket_message_id), '[]')`,
  actions: `coalesce((
    select json_agg(json_build_object('actionID', a.action_id, 'name', a.name, 'operation', a.operation,
      'hookName', a.hook_name, 'topicID', a.topic_id,
      'status', case a.status when 'Running' then 'Waiting' else a.status end, 'error', a.error,
      'dateRun', ${isoDate("a.run_at")}) order by a.message_action_id)
    from message_action a
    where a.customer_id = m.customer_id and a.ticket_message_id = m.ticket_message_id), '[]')`
})

/** The same for an end user's message that is just being stored: no other table can refer to it yet. */
export const newMessageColumns = columnsWith({
  customerRepName: "null",
  hasAttachment: "false",
  topics: "'[]'::json",
  actions: "'[]'::json"
})
