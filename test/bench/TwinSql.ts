/** The queries of the twin and the bare server: the same rows as Casework's, as columns. */
const ticketColumns = `t.ticket_id as "ticketID", t.created_at as "dateCreated", t.status, t.subject,
    t.channel_id as "channelID", c.channel_type as "channelType", t.end_user_id as "endUserID",
    t.customer_rep_id as "customerRepID", t.status = 'Closed' as "isClosed", t.is_spam as "isSpam", t.language,
    t.last_message_at as "lastMessageDate", t.last_sender_type as "lastSenderType",
    array(select distinct topic.name from ticket_message_topic m
      join topic on topic.customer_id = m.customer_id and topic.topic_id = m.topic_id
      where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id) as topics,
    array(select m.ai_feedback_comment from ticket_message m
      where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id and m.ai_feedback_comment is not null
      order by m.ticket_message_id) as "aiFeedbackComments",
    t.custom_fields as "customFieldsData", t.ticket_token as "ticketToken"`

const ticketsFrom = "ticket t join channel c on c.customer_id = t.customer_id and c.channel_id = t.channel_id"

export const ticketSql = `select ${ticketColumns} from ${ticketsFrom} where t.customer_id = $1 and t.ticket_id = $2`

export const pageSql = (where: string, tally: string, limit: string, offset: string) => `
  select ${ticketColumns},
    (select coalesce(sum(n.tickets), 0)::int from ticket_tally n where n.customer_id = $1 ${tally}) as "totalCount"
  from ${ticketsFrom}
  where t.customer_id = $1 ${where}
  order by t.created_at desc, t.ticket_id desc limit ${limit} offset ${offset}`

export const searchSql = `
  with found as materialized (
    select ticket_id from ticket where customer_id = $1 and subject ilike $4
    union select ticket_id from ticket_message where customer_id = $1 and message ilike $4
    union select s.ticket_id from end_user e
      join ticket s on s.customer_id = e.customer_id and s.end_user_id = e.end_user_id
      where e.customer_id = $1 and e.search_text ilike $4)
  select ${ticketColumns}, count(*) over ()::int as "totalCount" from ${ticketsFrom}
  where t.customer_id = $1 and t.ticket_id = any(array(select ticket_id from found))
  order by t.created_at desc, t.ticket_id desc limit $2 offset $3`

const messageColumns = `m.ticket_message_id as "messageID", m.ticket_id as "ticketID", m.channel_id as "channelID",
    m.created_at as "dateCreated", m.message_date as "messageDate", m.sender_type as "senderType",
    m.customer_rep_id as "customerRepID", null as "customerRepName", m.status, m.subject, m.message, m.preview,
    m.html_body as "htmlBody", m.text_body as "textBody", m.from_address as "fromAddress", m.from_name as "fromName",
    m.to_address as "toAddress", m.uid, m.page_url as "pageURL", m.page_screenshot as "pageScreenshot",
    m.is_opened as "isOpened", m.is_escalated as "isEscalated", m.ai_feedback_comment as "aI_FeedbackComment", m.ai_reply as "aiReply",
    m.custom_fields as "customFieldsData"`

export const messageSql = `
  select ${messageColumns}, false as "hasAttachment", '[]'::json as topics, '[]'::json as actions
  from ticket_message m where m.customer_id = $1 and m.ticket_message_id = $2`

export const messagesSql = `
  select ${messageColumns},
    exists (select 1 from ticket_message_attachment a
      where a.customer_id = m.customer_id and a.ticket_message_id = m.ticket_message_id) as "hasAttachment",
    coalesce((select json_agg(json_build_object('ticketMessageTopicID', x.ticket_message_topic_id, 'topicID', x.topic_id,
        'topicName', topic.name))
      from ticket_message_topic x join topic on topic.customer_id = x.customer_id and topic.topic_id = x.topic_id
      where x.customer_id = m.customer_id and x.ticket_message_id = m.ticket_message_id), '[]') as topics,
    coalesce((select json_agg(json_build_object('actionID', a.action_id, 'name', a.name, 'status', a.status))
      from message_action a
      where a.customer_id = m.customer_id and a.ticket_message_id = m.ticket_message_id), '[]') as actions,
    count(*) over ()::int as "totalCount"
  from ticket_message m where m.customer_id = $1 and m.ticket_id = $2
  order by m.created_at desc, m.ticket_message_id desc limit 20`
