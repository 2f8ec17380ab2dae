import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChannelID, CustomerID, TicketID, type TicketMessageID } from "../../schema/Ids.ts"
import type { ReadMail } from "./ReadMail.ts"
import type { KnownMail, TokenOfTicket } from "./Threading.ts"

const Known = Schema.Struct({
  number: Schema.Int,
  internetMessageID: Schema.NullOr(Schema.String),
  conversationID: Schema.NullOr(Schema.String),
  participants: Schema.Array(Schema.String),
  isOurs: Schema.Boolean,
  date: Schema.DateTimeUtcFromDate,
  ticketID: TicketID
})

// If a conversation has gone on for years, only its newest mails count.
const mostOfConversation = 500

/** What remains of a Message-ID after the person was erased, as SQL: it still tells the mail from others. */
export const forgottenID = (messageID: string) =>
  `('sha256:' || encode(sha256(convert_to(${messageID}, 'UTF8')), 'hex'))`

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
    /**
     * Whether the channel has the same mail already, as from another folder, so that `insert` would return none. A mail
     * that waits for its question is no copy of itself.
     */
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

  const findKnown = SqlSchema.findAll({
    Request: Schema.Struct({ ...InChannel, externalIDs: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ externalID: Schema.String }),
    execute: (_) => sql`
      select external_id as "externalID" from mail_message
      where customer_id = ${_.customerID} and channel_id = ${_.channelID}
        and external_id = any(${_.externalIDs}::text[]) and not is_due`
  })
  // The row for each Message-ID is read separately, so that a long conversation cannot crowd it out. `threadOf` chooses
  // among several by the same rule.
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
          k.conversation_id as "conversationID", k.participants, m.ticket_id as "ticketID",
          m.sender_type = 'CustomerRep' as "isOurs", coalesce(m.message_date, m.created_at) as date
        from mail_message k
        join ticket_message m on m.customer_id = k.customer_id and m.ticket_message_id = k.ticket_message_id
        where k.customer_id = ${_.customerID} and k.channel_id = ${_.channelID}`
      return sql`
        select named.* from unnest(${_.messageIDs}::text[]) wanted cross join lateral (
          ${related} and k.internet_message_id = wanted order by "isOurs" desc, date, number limit 1) named
        union all (
          ${related} and k.conversation_id = ${_.conversationID}
            and (${_.after}::timestamptz is null or m.message_date <= ${_.after}::timestamptz)
          order by k.mail_message_id desc limit ${mostOfConversation})`
    }
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
      and (same.content_hash in (${mail.contentHash}, ${mail.hashAsWritten})
        or ${mail.isFromMailbox} and same.is_outgoing)`

  const waitsItself = (customerID: CustomerID, channelID: ChannelID, { externalID }: ReadMail) => sql`
    select mail_message_id from mail_message
    where customer_id = ${customerID} and channel_id = ${channelID} and external_id = ${externalID}
      and waits_for is not null`

  return MailMessagesRepo.of({
    isCopy: (customerID, channelID, mail) =>
      sql`
        select 1 where exists (${sameMail(customerID, channelID, mail)})
          and not exists (${waitsItself(customerID, channelID, mail)})`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    known: (customerID, channelID, externalIDs) =>
      findKnown({ customerID, channelID, externalIDs }).pipe(
        Effect.map((rows) => new Set(rows.map(({ externalID }) => externalID))),
        Effect.orDie
      ),
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
        ${waitsItself(customerID, channelID, mail)}`.pipe(
        Effect.flatMap(decodeNumbers),
        Effect.map((rows) => Option.fromNullable(rows[0]?.number)),
        Effect.orDie
      ),
    setTicketMessage: (customerID, number, ticketMessageID) =>
      sql`
        update mail_message set ticket_message_id = ${ticketMessageID}, waits_for = null, is_due = false
        where customer_id = ${customerID} and mail_message_id = ${number}`.pipe(Effect.asVoid, Effect.orDie),
    // A mail that the customer wrote first and that was answered later is not an answer to that answer.
    findRelated: (customerID, channelID, { date, hints, isOurs }) =>
      findRelated({
        customerID,
        channelID,
        messageIDs: [...new Set([...hints.inReplyTo, ...hints.references])],
        conversationID: hints.conversationID,
        after: isOurs ? (date ?? null) : null
      }).pipe(Effect.orDie),
    findTokens: (customerID, channelID, tokens) =>
      tokens.length === 0 ? Effect.succeed([]) : findTokens({ customerID, channelID, tokens }).pipe(Effect.orDie)
  })
})
