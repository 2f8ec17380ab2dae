import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ResumedChat, visitorAddressField } from "../../schema/Hub.ts"
import { ChannelID, CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { type ReadyJson, readyJson } from "../platform/database/ReadyJson.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"
import { visitorColumns } from "./VisitorColumns.ts"

const Key = Schema.Struct({ customerID: CustomerID, ticketID: TicketID })

const About = Schema.Struct({
  ticketToken: Schema.String,
  endUserName: Schema.NullOr(Schema.String),
  /** The end user's last message. */
  lastMessageID: Schema.NullOr(TicketMessageID),
  /** Whether the visitor has left an address to reply to. */
  hasAddress: Schema.Boolean
})

/** Tickets and channels, seen as chats. */
export class ChatsRepo extends Context.Tag("casework/ChatsRepo")<
  ChatsRepo,
  {
    readonly about: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<Option.Option<typeof About.Type>>
    /** The chat of one channel that has this token. */
    readonly findByToken: (
      customerID: CustomerID,
      channelID: ChannelID,
      ticketToken: string
    ) => Effect.Effect<Option.Option<TicketID>>
    /** The end user's last message, if it has this text. */
    readonly findLastSaid: (
      customerID: CustomerID,
      ticketID: TicketID,
      message: string
    ) => Effect.Effect<Option.Option<TicketMessageID>>
    /** Fails when another ticket has the token. */
    readonly setToken: (
      customerID: CustomerID,
      ticketID: TicketID,
      ticketToken: string
    ) => Effect.Effect<void, Duplicate>
    /** A chat with its last messages, as its visitor sees it. */
    readonly resume: (
      customerID: CustomerID,
      ticketID: TicketID
    ) => Effect.Effect<Option.Option<ReadyJson<ResumedChat>>>
    /** The given channels, of any customers, that are open for chats. */
    readonly openAmong: (channelIDs: ReadonlyArray<ChannelID>) => Effect.Effect<ReadonlyArray<ChannelID>>
  }
>() {
  static readonly layer = Layer.effect(
    ChatsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const about = SqlSchema.findOne({
    Request: Key,
    Result: About,
    execute: (_) => sql`
      select t.ticket_token as "ticketToken",
        (select coalesce(nullif(display_name, ''), nullif(trim(first_name || ' ' || last_name), '')) from end_user u
          where u.customer_id = t.customer_id and u.end_user_id = t.end_user_id) as "endUserName",
        (select ticket_message_id from ticket_message m
          where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id and m.sender_type = 'EndUser'
          order by created_at desc, ticket_message_id desc limit 1) as "lastMessageID",
        t.custom_fields ->> ${visitorAddressField} is not null as "hasAddress"
      from ticket t where t.customer_id = ${_.customerID} and t.ticket_id = ${_.ticketID}`
  })
  const findByToken = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, channelID: ChannelID, ticketToken: Schema.UUID }),
    Result: Schema.Struct({ ticketID: TicketID }),
    execute: (_) => sql`
      select ticket_id as "ticketID" from ticket
      where customer_id = ${_.customerID} and channel_id = ${_.channelID} and ticket_token = ${_.ticketToken}::uuid`
  })
  const findLastSaid = SqlSchema.findOne({
    Request: Schema.Struct({ ...Key.fields, message: Schema.String }),
    Result: Schema.Struct({ ticketMessageID: TicketMessageID }),
    execute: (_) => sql`
      select ticket_message_id as "ticketMessageID" from (
        select ticket_message_id, message from ticket_message
        where customer_id = ${_.customerID} and ticket_id = ${_.ticketID} and sender_type = 'EndUser'
        order by created_at desc, ticket_message_id desc limit 1) last
      where message = ${_.message}`
  })
  const setToken = SqlSchema.void({
    Request: Schema.Struct({ ...Key.fields, ticketToken: Schema.UUID }),
    execute: (_) => sql`
      update ticket set ticket_token = ${_.ticketToken}::uuid
      where customer_id = ${_.customerID} and ticket_id = ${_.ticketID}`
  })
  const resume = SqlSchema.findOne({
    Request: Key,
    Result: Schema.Struct({ json: Schema.String }),
    execute: (_) => sql`
      select row_to_json(chat)::text as json from (
        select t.ticket_id as "ticketID", t.ticket_token as "ticketToken", t.status = 'Closed' as "isClosed",
          (select coalesce(nullif(r.name, ''), r.username) from event e
            join customer_rep r on r.customer_id = e.customer_id
              and r.customer_rep_id = (e.details->>'customerRepID')::int
            where e.customer_id = t.customer_id and e.ticket_id = t.ticket_id and e.kind = 'AgentJoined'
            order by e.event_id desc limit 1) as "agentName",
          coalesce((
            select json_agg(last order by last."messageID") from (
              select ${sql.literal(visitorColumns)} from ticket_message m
              where m.customer_id = t.customer_id and m.ticket_id = t.ticket_id and not m.is_given_up
              order by m.created_at desc, m.ticket_message_id desc limit 200) last), '[]') as messages
        from ticket t
        where t.customer_id = ${_.customerID} and t.ticket_id = ${_.ticketID}) chat`
  })
  const openAmong = SqlSchema.findAll({
    Request: Schema.Array(ChannelID),
    Result: Schema.Struct({ channelID: ChannelID }),
    execute: (channelIDs) => sql`
      /* all customers: the visitors of a node are anybody's */
      select channel_id as "channelID" from channel
      where channel_id = any(${[...channelIDs]}::int[]) and is_active and channel_type = 'Chat' and deleted_at is null`
  })

  return ChatsRepo.of({
    about: (customerID, ticketID) => about({ customerID, ticketID }).pipe(Effect.orDie),
    findByToken: (customerID, channelID, ticketToken) =>
      Schema.is(Schema.UUID)(ticketToken)
        ? findByToken({ customerID, channelID, ticketToken }).pipe(
            Effect.map(Option.map(({ ticketID }) => ticketID)),
            Effect.orDie
          )
        : Effect.succeedNone,
    findLastSaid: (customerID, ticketID, message) =>
      findLastSaid({ customerID, ticketID, message }).pipe(
        Effect.map(Option.map(({ ticketMessageID }) => ticketMessageID)),
        Effect.orDie
      ),
    setToken: (customerID, ticketID, ticketToken) =>
      setToken({ customerID, ticketID, ticketToken }).pipe(failOnDuplicate),
    resume: (customerID, ticketID) =>
      resume({ customerID, ticketID }).pipe(
        Effect.map(Option.map(({ json }) => readyJson(ResumedChat, json))),
        Effect.orDie
      ),
    openAmong: (channelIDs) =>
      openAmong(channelIDs).pipe(
        Effect.map((rows) => rows.map(({ channelID }) => channelID)),
        Effect.orDie
      )
  })
})
