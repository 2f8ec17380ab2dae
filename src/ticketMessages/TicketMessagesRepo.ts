import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, type Option, Schema } from "effect"
import { ChannelType } from "../../schema/ChannelTypes.ts"
import type { CustomFields } from "../../schema/CustomFields.ts"
import { ChannelID, type CustomerID, EndUserID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { MessageStatus, SenderType } from "../../schema/TicketMessages.ts"
import { isMailSystem } from "../platform/text/MailSystem.ts"
import { fromMailbox } from "./FromMailboxSql.ts"
import { type NewMessage, storing, valueOf } from "./NewMessageSql.ts"

const text = Schema.NullOr(Schema.String)

/** What other steps need to know about a message and its ticket. */
const Stored = Schema.Struct({
  ticketMessageID: TicketMessageID,
  ticketID: TicketID,
  channelID: ChannelID,
  channelType: ChannelType,
  senderType: SenderType,
  status: MessageStatus,
  message: text,
  subject: text,
  fromAddress: text,
  fromName: text,
  toAddress: text,
  uid: text,
  pageURL: text,
  aiReply: text,
  isPersonsDraft: Schema.Boolean,
  isEscalated: Schema.Boolean,
  feedbackComment: text,
  isAutomatic: Schema.Boolean,
  endUserID: Schema.NullOr(EndUserID),
  answersMessageID: Schema.NullOr(TicketMessageID)
})
export type StoredMessage = typeof Stored.Type

interface MessageChange {
  readonly status?: MessageStatus
  readonly aiReply?: string | null
  /** Whether a person wrote the prepared answer. */
  readonly isPersonsDraft?: boolean
  readonly isOpened?: boolean
  readonly isEscalated?: boolean
  readonly feedbackComment?: string | null
  readonly deliveryError?: string | null
  readonly customFieldsData?: CustomFields | null
}

type Find = (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<Option.Option<StoredMessage>>

type WhetherSince = (
  customerID: CustomerID,
  message: Pick<StoredMessage, "ticketID" | "ticketMessageID">
) => Effect.Effect<boolean>

export class TicketMessagesRepo extends Context.Tag("casework/TicketMessagesRepo")<
  TicketMessagesRepo,
  {
    readonly find: Find
    /** Locks the message's ticket and then the message until the transaction ends, in the same order as everywhere. */
    readonly findForUpdate: Find
    /** Whether any customer has a message with this ID. */
    readonly exists: (ticketMessageID: TicketMessageID) => Effect.Effect<boolean>
    /** Stores the message and updates the last message date of its ticket. */
    readonly insert: (customerID: CustomerID, ticketID: TicketID, message: NewMessage) => Effect.Effect<TicketMessageID>
    /** Returns whether anything changed. */
    readonly update: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      change: MessageChange
    ) => Effect.Effect<boolean>
    /** Delivery was given up: the message no longer counts as an answer, so that another one can be sent. */
    readonly giveUp: (customerID: CustomerID, ticketMessageID: TicketMessageID, reason: string) => Effect.Effect<void>
    /** Marks an end user's message as replied to; only the first caller succeeds. */
    readonly claimReply: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<boolean>
    /** A message that was replied to stays so, even when its ticket is marked as spam. */
    readonly markSpam: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<void>
    /**
     * Whether a person has answered in its ticket since. Mails are read in any order, so that an answer from the mail
     * program goes by its date. An answer that was given up does not count.
     */
    readonly isAnsweredByPerson: WhetherSince
    /** The same, but an answer that was given up counts too: a person took the message for one to be answered. */
    readonly isTakenUpByPerson: WhetherSince
    readonly delete: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    TicketMessagesRepo,
    Effect.suspend(() => make)
  )
}

/** Automatic mail, except a bounce: it changes nothing about whose turn it is, as in `lastSenderType`. */
const isNotice = ({ fromAddress, isAutomatic, senderType }: NewMessage) =>
  isAutomatic && (senderType !== "EndUser" || !isMailSystem(fromAddress ?? ""))

const columnsOf = (change: MessageChange) =>
  Object.fromEntries(
    Object.entries({
      status: change.status,
      ai_reply: change.aiReply,
      is_persons_draft: change.isPersonsDraft,
      is_opened: change.isOpened,
      is_escalated: change.isEscalated,
      ai_feedback_comment: change.feedbackComment,
      delivery_error: change.deliveryError,
      custom_fields: change.customFieldsData === undefined ? undefined : JSON.stringify(change.customFieldsData ?? {})
    }).filter(([, value]) => value !== undefined)
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const decodeStored = Schema.decodeUnknown(Schema.Array(Stored))
  const decodeKeys = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ ticketMessageID: TicketMessageID })))
  const isAny = Effect.map((rows: ReadonlyArray<unknown>) => rows.length > 0)

  const select =
    (lock: string): Find =>
    (customerID, ticketMessageID) =>
      sql`
        select m.ticket_message_id as "ticketMessageID", m.ticket_id as "ticketID", m.channel_id as "channelID",
          c.channel_type as "channelType", m.sender_type as "senderType", m.status, m.message, m.subject,
          m.from_address as "fromAddress", m.from_name as "fromName", m.to_address as "toAddress", m.uid,
          m.page_url as "pageURL", m.ai_reply as "aiReply", m.is_persons_draft as "isPersonsDraft",
          m.is_escalated as "isEscalated", m.ai_feedback_comment as "feedbackComment", m.is_automatic as "isAutomatic",
          t.end_user_id as "endUserID", m.answers_message_id as "answersMessageID"
        from ticket_message m
        join ticket t on t.customer_id = m.customer_id and t.ticket_id = m.ticket_id
        join channel c on c.customer_id = m.customer_id and c.channel_id = m.channel_id
        where m.customer_id = ${customerID} and m.ticket_message_id = ${ticketMessageID} ${sql.literal(lock)}`.pipe(
        Effect.flatMap(decodeStored),
        Effect.map(Arr.head),
        Effect.orDie
      )

  /** Who is noted as the last to write; null, so that it is looked up, after a notice or when a newer message is there. */
  const lastSender = (message: NewMessage) =>
    isNotice(message)
      ? sql`null`
      : sql`case when stored.created_at < last_message_at then null else ${message.senderType} end`

  const hasPersonWritten =
    (what: Statement.Fragment): WhetherSince =>
    (customerID, { ticketID, ticketMessageID }) =>
      sql`
        select 1 from ticket_message m
        join ticket_message q on q.customer_id = m.customer_id and q.ticket_id = m.ticket_id
          and q.ticket_message_id = ${ticketMessageID}
        where m.customer_id = ${customerID} and m.ticket_id = ${ticketID} and ${what} and (
          m.customer_rep_id is not null and m.ticket_message_id > q.ticket_message_id
          or ${fromMailbox(sql)}
            and coalesce(m.message_date, m.created_at) >= coalesce(q.message_date, q.created_at)) limit 1`.pipe(
        isAny,
        Effect.orDie
      )

  return TicketMessagesRepo.of({
    find: select(""),
    findForUpdate: select("for no key update of t, m"),

    exists: (ticketMessageID) =>
      sql`
        /* all customers: a message of another customer is forbidden, one of nobody is missing */
        select 1 from ticket_message where ticket_message_id = ${ticketMessageID}`.pipe(isAny, Effect.orDie),

    insert: (customerID, ticketID, message) =>
      sql`
        with stored as (
          ${storing(sql, customerID, (name) => valueOf(message, name), sql`(select ${ticketID}::int as ticket_id) ticket`)}
          returning ticket_message_id, created_at),
        moved as (
          update ticket set last_message_at = greatest(last_message_at, stored.created_at), modified_at = now(),
            last_sender_type = ${lastSender(message)}
          from stored where customer_id = ${customerID} and ticket_id = ${ticketID}
            and (last_message_at is distinct from stored.created_at or last_sender_type is distinct from ${message.senderType}))
        select ticket_message_id as "ticketMessageID" from stored`.pipe(
        Effect.flatMap(decodeKeys),
        Effect.map(([{ ticketMessageID }]) => ticketMessageID),
        Effect.orDie
      ),

    update: (customerID, ticketMessageID, change) => {
      const columns = columnsOf(change)
      const differs = Object.entries(columns).map(([name, value]) => sql`${sql(name)} is distinct from ${value}`)
      return sql`
        update ticket_message set ${sql.update(columns)}, modified_at = now()
        where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID} and ${sql.or(differs)}
        returning ticket_message_id`.pipe(isAny, Effect.orDie)
    },

    giveUp: (customerID, ticketMessageID, reason) =>
      sql`
        with lost as (
          update ticket_message set status = 'Failed', delivery_error = ${reason}, is_given_up = true,
            answers_message_id = null, modified_at = now()
          where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
          returning ticket_id)
        update ticket t set last_sender_type = null, modified_at = now() from lost
        where t.customer_id = ${customerID} and t.ticket_id = lost.ticket_id`.pipe(Effect.asVoid, Effect.orDie),

    claimReply: (customerID, ticketMessageID) =>
      sql`
        update ticket_message set status = 'Replied', modified_at = now()
        where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
          and sender_type = 'EndUser' and status <> 'Replied' and not exists (
            select from ticket_message answer
            where answer.customer_id = ${customerID} and answer.answers_message_id = ${ticketMessageID})
        returning ticket_message_id`.pipe(isAny, Effect.orDie),

    markSpam: (customerID, ticketMessageID) =>
      sql`
        update ticket_message set status = 'Spam', modified_at = now()
        where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
          and status not in ('Replied', 'Spam')`.pipe(Effect.asVoid, Effect.orDie),

    isAnsweredByPerson: hasPersonWritten(sql`not m.is_given_up`),

    isTakenUpByPerson: hasPersonWritten(sql`true`),

    delete: (customerID, ticketMessageID) =>
      sql`
        with gone as (
          delete from ticket_message where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
          returning ticket_id),
        moved as (
          update ticket t set modified_at = now(), history_summary = null, last_sender_type = null, last_message_at = (
            select max(m.created_at) from ticket_message m
            where m.customer_id = ${customerID} and m.ticket_id = gone.ticket_id
              and m.ticket_message_id <> ${ticketMessageID})
          from gone where t.customer_id = ${customerID} and t.ticket_id = gone.ticket_id)
        select 1 from gone`.pipe(isAny, Effect.orDie)
  })
})
