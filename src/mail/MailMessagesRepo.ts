import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { ChannelFolderID, ChannelID, CustomerID, TicketID, type TicketMessageID } from "../../schema/Ids.ts"
import type { ReadMail } from "./ReadMail.ts"
import type { KnownMail, TokenOfTicket } from "./Threading.ts"

const Known = Schema.Struct({
  number: Schema.Int,
  internetMessageID: Schema.NullOr(Schema.String),
  conversationID: Schema.NullOr(Schema.String),
  participants: Schema.Array(Schema.String),
  ticketID: TicketID
})

// As many as somebody may have written in one conversation; what is left waits for the next mail of it.
const mostCalled = 200

// Of a conversation that has gone on for years, the newest ones.
const mostOfConversation = 500

// Of a thread that has gone on for years, the newest ones. The provider's Message-IDs are no longer than that.
const mostAwaited = 50
const longestMessageID = 998

/** What is left of a Message-ID when whoever the mail is about was erased, as SQL: it still tells the mail from others. */
export const forgottenID = (messageID: string) =>
  `('sha256:' || encode(sha256(convert_to(${messageID}, 'UTF8')), 'hex'))`

/** The mails that are known on a channel. */
const Overdue = Schema.Struct({ customerID: CustomerID, folderID: ChannelFolderID, messageID: Schema.String })
type OverdueMail = typeof Overdue.Type

export class MailMessagesRepo extends Context.Tag("casework/MailMessagesRepo")<
  MailMessagesRepo,
  {
    /** Those that need not be fetched. What is due has come before, and comes again. */
    readonly known: (
      customerID: CustomerID,
      channelID: ChannelID,
      externalIDs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>>
    /** Nobody else brings mail into the channel until the transaction ends: answers find what they answer. */
    readonly lock: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<void>
    /** Whether the channel knows the same mail by another id, as from another folder, and so will not take this one. */
    readonly isCopy: (customerID: CustomerID, channelID: ChannelID, mail: ReadMail) => Effect.Effect<boolean>
    /**
     * Answers its number, and nothing for a mail that is known already; also nothing for a copy of an answer that left from
     * here. One that waits for its question has its number still. Of a copy its id is kept: it is not fetched again.
     */
    readonly insert: (
      customerID: CustomerID,
      channelID: ChannelID,
      mail: ReadMail
    ) => Effect.Effect<Option.Option<number>>
    readonly setTicketMessage: (
      customerID: CustomerID,
      number: number,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<void>
    /** What the customer itself wrote, and belongs into no ticket so far. */
    readonly letWait: (customerID: CustomerID, number: number, mail: ReadMail) => Effect.Effect<void>
    /** Those that have waited for a mail are due now that it is in a ticket; answers which, the oldest first. */
    readonly callWaiting: (
      customerID: CustomerID,
      channelID: ChannelID,
      mail: ReadMail
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Those of them that are due, and have not come again. */
    readonly findDue: (
      customerID: CustomerID,
      channelID: ChannelID,
      externalIDs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Of all customers: those that were called a while ago and have not come, with a folder of their channel. */
    readonly overdue: Effect.Effect<ReadonlyArray<OverdueMail>>
    /** The mails that a new one may belong to. */
    readonly findRelated: (
      customerID: CustomerID,
      channelID: ChannelID,
      mail: ReadMail
    ) => Effect.Effect<ReadonlyArray<KnownMail>>
    readonly findTokens: (
      customerID: CustomerID,
      channelID: ChannelID,
      tokens: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<TokenOfTicket>>
  }
>() {
  static readonly layer = Layer.effect(
    MailMessagesRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const InChannel = { customerID: CustomerID, channelID: ChannelID }

  const External = Schema.Struct({ externalID: Schema.String })

  const find = SqlSchema.findAll({
    Request: Schema.Struct({ ...InChannel, externalIDs: Schema.Array(Schema.String), isDue: Schema.Boolean }),
    Result: External,
    execute: (_) => sql`
      select external_id as "externalID" from mail_message
      where customer_id = ${_.customerID} and channel_id = ${_.channelID}
        and external_id = any(${_.externalIDs}::text[]) and is_due = ${_.isDue}`
  })
  const externalIDs = (rows: ReadonlyArray<{ readonly externalID: string }>) => rows.map(({ externalID }) => externalID)
  // Of each mail that is named the newest: a long conversation does not hide it.
  const findRelated = SqlSchema.findAll({
    Request: Schema.Struct({
      ...InChannel,
      messageIDs: Schema.Array(Schema.String),
      conversationID: Schema.NullOr(Schema.String),
      after: Schema.NullOr(Schema.DateTimeUtcFromDate)
    }),
    Result: Known,
    execute: (_) => {
      const related = sql`
        select k.mail_message_id as number, k.internet_message_id as "internetMessageID",
          k.conversation_id as "conversationID", k.participants, m.ticket_id as "ticketID"
        from mail_message k
        join ticket_message m on m.customer_id = k.customer_id and m.ticket_message_id = k.ticket_message_id
        where k.customer_id = ${_.customerID} and k.channel_id = ${_.channelID}`
      return sql`
        select named.* from unnest(${_.messageIDs}::text[]) wanted cross join lateral (
          ${related} and k.internet_message_id = wanted order by k.mail_message_id desc limit 1) named
        union all (
          ${related} and k.conversation_id = ${_.conversationID}
            and (${_.after}::timestamptz is null or m.message_date <= ${_.after}::timestamptz)
          order by k.mail_message_id desc limit ${mostOfConversation})`
    }
  })
  // By its conversation only what was written after it, and to or by the same people: no answer is older than its question.
  const callWaiting = SqlSchema.findAll({
    Request: Schema.Struct({
      ...InChannel,
      internetMessageID: Schema.NullOr(Schema.String),
      conversationID: Schema.NullOr(Schema.String),
      participants: Schema.Array(Schema.String),
      date: Schema.NullOr(Schema.DateTimeUtcFromDate)
    }),
    Result: External,
    execute: (_) => sql`
      with waiting as (
        select mail_message_id from mail_message
        where customer_id = ${_.customerID} and channel_id = ${_.channelID} and waits_for is not null and not is_due
          and (waits_for && ${_.internetMessageID === null ? [] : [_.internetMessageID]}::text[]
            or conversation_id = ${_.conversationID} and participants && ${_.participants}::text[]
              and written_at >= ${_.date}::timestamptz)
        order by written_at, mail_message_id limit ${mostCalled}
      ), called as (
        update mail_message k set is_due = true, called_at = now() from waiting
        where k.customer_id = ${_.customerID} and k.mail_message_id = waiting.mail_message_id
        returning k.mail_message_id, k.external_id, k.written_at
      )
      select external_id as "externalID" from called order by written_at, mail_message_id`
  })
  // Whoever called them may have been stopped, or an older version. After a week nobody has them any more.
  const overdue = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Overdue,
    execute: () => sql`
      /* all customers: what comes round comes round for everybody */
      select k.customer_id as "customerID", f.channel_folder_id as "folderID", k.external_id as "messageID"
      from mail_message k
      join channel c on c.customer_id = k.customer_id and c.channel_id = k.channel_id and c.deleted_at is null
      cross join lateral (
        select channel_folder_id from channel_folder
        where customer_id = k.customer_id and channel_id = k.channel_id order by channel_folder_id limit 1) f
      where k.is_due and k.called_at between now() - interval '8 days' and now() - interval '30 minutes'
      order by k.called_at limit ${mostCalled}`
  })
  const findTokens = SqlSchema.findAll({
    Request: Schema.Struct({ ...InChannel, tokens: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ token: Schema.String, ticketID: TicketID }),
    execute: (_) => sql`
      select ticket_token::text as token, ticket_id as "ticketID" from ticket
      where customer_id = ${_.customerID} and channel_id = ${_.channelID}
        and ticket_token = any(${_.tokens}::uuid[])`
  })
  const decodeNumbers = Schema.decodeUnknown(Schema.Array(Schema.Struct({ number: Schema.Int })))

  /** The same mail by another id, or the answer from here that it is a copy of. */
  const sameMail = (customerID: CustomerID, channelID: ChannelID, mail: ReadMail) => sql`
    select from (select ${mail.internetMessageID}::text as id) given
    join mail_message same on same.customer_id = ${customerID} and same.channel_id = ${channelID}
      and same.internet_message_id in (given.id, ${sql.literal(forgottenID("given.id"))})
      and (same.content_hash = ${mail.contentHash} or ${mail.isOurs} and same.is_outgoing)`

  return MailMessagesRepo.of({
    isCopy: (customerID, channelID, mail) =>
      sql`select 1 where exists (${sameMail(customerID, channelID, mail)})`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    known: (customerID, channelID, ids) =>
      find({ customerID, channelID, externalIDs: ids, isDue: false }).pipe(
        Effect.map((rows) => new Set(externalIDs(rows))),
        Effect.orDie
      ),
    findDue: (customerID, channelID, ids) =>
      find({ customerID, channelID, externalIDs: ids, isDue: true }).pipe(Effect.map(externalIDs), Effect.orDie),
    overdue: overdue(undefined).pipe(Effect.orDie),
    lock: (customerID, channelID) =>
      sql`select pg_advisory_xact_lock(hashtextextended(${`mail ${customerID} ${channelID}`}, 0))`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    insert: (customerID, channelID, mail) =>
      sql`
        with made as (
          insert into mail_message (customer_id, channel_id, external_id, internet_message_id, content_hash,
            conversation_id, participants)
          select ${customerID}, ${channelID}, ${mail.externalID}, ${mail.internetMessageID}::text, ${mail.contentHash},
            ${mail.conversationID}, ${[...mail.participants]}::text[]
          where not exists (${sameMail(customerID, channelID, mail)})
          on conflict do nothing returning mail_message_id
        ), copy as (
          insert into mail_message (customer_id, channel_id, external_id, content_hash)
          select ${customerID}, ${channelID}, ${mail.externalID}, ${mail.contentHash}
          where not exists (select from made) on conflict do nothing
        )
        select mail_message_id as number from made
        union all
        select mail_message_id from mail_message
        where customer_id = ${customerID} and channel_id = ${channelID} and external_id = ${mail.externalID}
          and waits_for is not null`.pipe(
        Effect.flatMap(decodeNumbers),
        Effect.map((rows) => Option.fromNullable(rows[0]?.number)),
        Effect.orDie
      ),
    setTicketMessage: (customerID, number, ticketMessageID) =>
      sql`
        update mail_message set ticket_message_id = ${ticketMessageID}, waits_for = null, is_due = false
        where customer_id = ${customerID} and mail_message_id = ${number}`.pipe(Effect.asVoid, Effect.orDie),
    letWait: (customerID, number, { date, hints: { conversationID, inReplyTo, references } }) => {
      const awaited = [...inReplyTo, ...references.toReversed()].filter(({ length }) => length <= longestMessageID)
      if (awaited.length === 0 && conversationID === null) return Effect.void
      return sql`
        update mail_message set waits_for = ${awaited.slice(0, mostAwaited)}::text[], is_due = false,
          written_at = ${date === undefined ? null : DateTime.toDateUtc(date)}
        where customer_id = ${customerID} and mail_message_id = ${number}`.pipe(Effect.asVoid, Effect.orDie)
    },
    callWaiting: (customerID, channelID, mail) =>
      callWaiting({ ...mail, customerID, channelID, date: mail.date ?? null }).pipe(
        Effect.map(externalIDs),
        Effect.orDie
      ),
    // What the customer itself wrote first, and was answered, is no answer to that.
    findRelated: (customerID, channelID, { date, hints, isOurs }) =>
      findRelated({
        customerID,
        channelID,
        messageIDs: [...hints.inReplyTo, ...hints.references],
        conversationID: hints.conversationID,
        after: isOurs ? (date ?? null) : null
      }).pipe(Effect.orDie),
    findTokens: (customerID, channelID, tokens) =>
      tokens.length === 0 ? Effect.succeed([]) : findTokens({ customerID, channelID, tokens }).pipe(Effect.orDie)
  })
})
