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
  ticketID: TicketID
})

/** The mails that are known on a channel. */
export class MailMessagesRepo extends Context.Tag("casework/MailMessagesRepo")<
  MailMessagesRepo,
  {
    readonly known: (
      customerID: CustomerID,
      channelID: ChannelID,
      externalIDs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>>
    /** Nobody else brings mail into the channel until the transaction ends: answers find what they answer. */
    readonly lock: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<void>
    /** Answers its number, and nothing for a mail that is known already. */
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

  const known = SqlSchema.findAll({
    Request: Schema.Struct({ ...InChannel, externalIDs: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ externalID: Schema.String }),
    execute: (_) => sql`
      select external_id as "externalID" from mail_message
      where customer_id = ${_.customerID} and channel_id = ${_.channelID}
        and external_id = any(${_.externalIDs}::text[])`
  })
  const findRelated = SqlSchema.findAll({
    Request: Schema.Struct({
      ...InChannel,
      messageIDs: Schema.Array(Schema.String),
      conversationID: Schema.NullOr(Schema.String)
    }),
    Result: Known,
    execute: (_) => sql`
      select k.mail_message_id as number, k.internet_message_id as "internetMessageID",
        k.conversation_id as "conversationID", k.participants, m.ticket_id as "ticketID"
      from mail_message k
      join ticket_message m on m.customer_id = k.customer_id and m.ticket_message_id = k.ticket_message_id
      where k.customer_id = ${_.customerID} and k.channel_id = ${_.channelID}
        and (k.internet_message_id = any(${_.messageIDs}::text[]) or k.conversation_id = ${_.conversationID})
      order by k.mail_message_id desc limit 500`
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

  return MailMessagesRepo.of({
    known: (customerID, channelID, externalIDs) =>
      known({ customerID, channelID, externalIDs }).pipe(
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
        insert into mail_message (customer_id, channel_id, external_id, internet_message_id, content_hash,
          conversation_id, participants)
        values (${customerID}, ${channelID}, ${mail.externalID}, ${mail.internetMessageID}, ${mail.contentHash},
          ${mail.conversationID}, ${[...mail.participants]}::text[])
        on conflict do nothing returning mail_message_id as number`.pipe(
        Effect.flatMap(decodeNumbers),
        Effect.map((rows) => Option.fromNullable(rows[0]?.number)),
        Effect.orDie
      ),
    setTicketMessage: (customerID, number, ticketMessageID) =>
      sql`
        update mail_message set ticket_message_id = ${ticketMessageID}
        where customer_id = ${customerID} and mail_message_id = ${number}`.pipe(Effect.asVoid, Effect.orDie),
    findRelated: (customerID, channelID, { hints }) =>
      findRelated({
        customerID,
        channelID,
        messageIDs: [...hints.inReplyTo, ...hints.references],
        conversationID: hints.conversationID
      }).pipe(Effect.orDie),
    findTokens: (customerID, channelID, tokens) =>
      tokens.length === 0 ? Effect.succeed([]) : findTokens({ customerID, channelID, tokens }).pipe(Effect.orDie)
  })
})
