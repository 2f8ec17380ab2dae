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

// As many as one conversation may have; the rest waits for the conversation's next mail.
const mostCalled = 200

// If a conversation has gone on for years, only its newest mails count.
const mostOfConversation = 500

// If a thread has gone on for years, only its newest mails count. The provider's Message-IDs are at most this long.
const mostAwaited = 50
const longestMessageID = 998

/** What remains of a Message-ID after the person was erased, as SQL: it still tells the mail from others. */
export const forgottenID = (messageID: string) =>
  `('sha256:' || encode(sha256(convert_to(${messageID}, 'UTF8')), 'hex'))`

const Overdue = Schema.Struct({ customerID: CustomerID, folderID: ChannelFolderID, messageID: Schema.String })
type OverdueMail = typeof Overdue.Type

/** The mails that are known on a channel. */
export class MailMessagesRepo extends Context.Tag("casework/MailMessagesRepo")<
  MailMessagesRepo,
  {
    /**
     * The mails that need not be fetched. Due mails are not among them: they were seen before and are imported again.
     */
    readonly known: (
      customerID: CustomerID,
      channelID: ChannelID,
      externalIDs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>>
    /** Blocks other imports into the channel until the transaction ends, so that answers find what they answer. */
    readonly lock: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<void>
    /** Whether the channel has the same mail under another id, as from another folder, and will not store this one. */
    readonly isCopy: (customerID: CustomerID, channelID: ChannelID, mail: ReadMail) => Effect.Effect<boolean>
    /**
     * Returns the mail's number; none for a known mail and for a copy of one, or of an answer sent from here. A mail
     * that waits for its question gets its number again. The id of a copy is stored, so that it is not fetched again.
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
    /** Lets a mail wait that the customer sent itself and that belongs to no ticket yet. */
    readonly letWait: (customerID: CustomerID, number: number, mail: ReadMail) => Effect.Effect<void>
    /** Makes the mails due that have waited for a mail which is now in a ticket; returns their ids, oldest first. */
    readonly callWaiting: (
      customerID: CustomerID,
      channelID: ChannelID,
      mail: ReadMail
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Those of the given mails that are due and have not been imported again. */
    readonly findDue: (
      customerID: CustomerID,
      channelID: ChannelID,
      externalIDs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** The mails of all customers that became due a while ago and have not come, with a folder of their channel. */
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
  // The newest row for each Message-ID is read separately, so that a long conversation cannot crowd it out.
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
  // Within the conversation, only mails written after this one and shared with its participants are called: no answer
  // is older than its question.
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
  // The node that made them due may have stopped or run an older version. After a week they are no longer looked for.
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

  /** The same mail under another id, or the answer sent from here that it is a copy of. */
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
    // A mail that the customer wrote first and that was answered later is not an answer to that answer.
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
