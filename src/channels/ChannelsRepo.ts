import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { Channel } from "../../schema/Channels.ts"
import { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { channelColumns } from "./ChannelColumns.ts"

const Key = Schema.Struct({ customerID: CustomerID, channelID: ChannelID })

/** A row; its secret is encrypted. */
const Stored = Schema.Struct(Channel.fields)
export type StoredChannel = typeof Stored.Type

const Fields = Schema.Struct(Struct.pick(Channel.fields, ...Struct.keys(channelColumns)))
export type ChannelFields = typeof Fields.Type

type Find = (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<Option.Option<StoredChannel>>

/** Channels that are not deleted. */
export class ChannelsRepo extends Context.Tag("casework/ChannelsRepo")<
  ChannelsRepo,
  {
    readonly list: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<StoredChannel>>
    readonly find: Find
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: Find
    /** Also finds a deleted channel: work that is still left to do for it needs its settings. */
    readonly findEvenDeleted: Find
    readonly hasTickets: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<boolean>
    readonly findType: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<Option.Option<ChannelType>>
    /** The channel's connection details, even when it is deleted: its tickets are still answered. */
    readonly findConnectionDetails: (
      customerID: CustomerID,
      channelID: ChannelID
    ) => Effect.Effect<Option.Option<string>>
    readonly findByToken: (token: string) => Effect.Effect<Option.Option<StoredChannel>>
    readonly findDefaultTranslationChannel: (customerID: CustomerID) => Effect.Effect<Option.Option<StoredChannel>>
    readonly insert: (customerID: CustomerID, fields: ChannelFields) => Effect.Effect<StoredChannel>
    readonly update: (customerID: CustomerID, channelID: ChannelID, fields: ChannelFields) => Effect.Effect<void>
    /** Keeps other transactions from setting the default until this one ends. Comes before any lock on a channel. */
    readonly lockDefaultTranslationChannel: (customerID: CustomerID) => Effect.Effect<void>
    /** Leaves the customer without a default translation channel until the transaction sets the next one. */
    readonly clearDefaultTranslationChannel: (customerID: CustomerID) => Effect.Effect<void>
    /** Returns whether there was such a channel. */
    readonly delete: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    ChannelsRepo,
    Effect.suspend(() => make)
  )
}

const toColumns = (fields: typeof Fields.Encoded) =>
  Object.fromEntries(Struct.entries(channelColumns).map(([field, column]) => [column, fields[field]]))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    [
      `channel_id as "channelID", customer_id as "customerID", token::text as token`,
      ...Struct.entries(channelColumns).map(([field, column]) => `${column} as "${field}"`)
    ].join(", ")
  )

  const list = SqlSchema.findAll({
    Request: CustomerID,
    Result: Stored,
    execute: (customerID) => sql`
      select ${columns} from channel where customer_id = ${customerID} and deleted_at is null order by channel_id`
  })
  const select = (condition: string) =>
    SqlSchema.findOne({
      Request: Key,
      Result: Stored,
      execute: (_) => sql`
        select ${columns} from channel
        where customer_id = ${_.customerID} and channel_id = ${_.channelID} ${sql.literal(condition)}`
    })
  const find = select("and deleted_at is null")
  const findForUpdate = select("and deleted_at is null for update")
  const findEvenDeleted = select("")
  const findType = SqlSchema.findOne({
    Request: Key,
    Result: Schema.Struct({ channelType: ChannelType }),
    execute: (_) => sql`
      select channel_type as "channelType" from channel
      where customer_id = ${_.customerID} and channel_id = ${_.channelID} and deleted_at is null`
  })
  const findByToken = SqlSchema.findOne({
    Request: Schema.UUID,
    Result: Stored,
    execute: (token) => sql`
      /* all customers: the token says whose channel it is */
      select ${columns} from channel where token = ${token}::uuid and deleted_at is null`
  })
  const findDefault = SqlSchema.findOne({
    Request: CustomerID,
    Result: Stored,
    execute: (customerID) => sql`
      select ${columns} from channel
      where customer_id = ${customerID} and is_default_translation_channel and deleted_at is null`
  })
  const insert = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, fields: Fields }),
    Result: Stored,
    execute: (_) => sql`
      insert into channel ${sql.insert({ customer_id: _.customerID, ...toColumns(_.fields) })} returning ${columns}`
  })
  const update = SqlSchema.void({
    Request: Schema.Struct({ ...Key.fields, fields: Fields }),
    execute: (_) => sql`
      update channel set ${sql.update(toColumns(_.fields))}
      where customer_id = ${_.customerID} and channel_id = ${_.channelID}`
  })
  const clearDefault = SqlSchema.void({
    Request: CustomerID,
    execute: (customerID) => sql`
      update channel set is_default_translation_channel = false
      where customer_id = ${customerID} and is_default_translation_channel`
  })
  const remove = SqlSchema.findAll({
    Request: Key,
    Result: Schema.Struct({ channelID: ChannelID }),
    execute: (_) => sql`
      update channel set deleted_at = now(), is_default_translation_channel = false, auto_retrieve_emails = false
      where customer_id = ${_.customerID} and channel_id = ${_.channelID} and deleted_at is null
      returning channel_id as "channelID"`
  })

  const findConnectionDetails = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, channelID: ChannelID }),
    Result: Schema.Struct({ details: Schema.NullOr(Schema.String) }),
    execute: (_) => sql`
      select nullif(trim(connection_details), '') as details from channel
      where customer_id = ${_.customerID} and channel_id = ${_.channelID}`
  })

  return ChannelsRepo.of({
    findConnectionDetails: (customerID, channelID) =>
      findConnectionDetails({ customerID, channelID }).pipe(
        Effect.orDie,
        Effect.map(Option.flatMap(({ details }) => Option.fromNullable(details)))
      ),
    list: (customerID) => list(customerID).pipe(Effect.orDie),
    find: (customerID, channelID) => find({ customerID, channelID }).pipe(Effect.orDie),
    findForUpdate: (customerID, channelID) => findForUpdate({ customerID, channelID }).pipe(Effect.orDie),
    findEvenDeleted: (customerID, channelID) => findEvenDeleted({ customerID, channelID }).pipe(Effect.orDie),
    hasTickets: (customerID, channelID) =>
      sql`select 1 from ticket where customer_id = ${customerID} and channel_id = ${channelID} limit 1`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    findType: (customerID, channelID) =>
      findType({ customerID, channelID }).pipe(Effect.orDie, Effect.map(Option.map(({ channelType }) => channelType))),
    findByToken: (token) =>
      Schema.is(Schema.UUID)(token) ? findByToken(token).pipe(Effect.orDie) : Effect.succeedNone,
    findDefaultTranslationChannel: (customerID) => findDefault(customerID).pipe(Effect.orDie),
    insert: (customerID, fields) => insert({ customerID, fields }).pipe(Effect.orDie),
    update: (customerID, channelID, fields) => update({ customerID, channelID, fields }).pipe(Effect.orDie),
    lockDefaultTranslationChannel: (customerID) =>
      sql`select pg_advisory_xact_lock(hashtextextended(${`default translation channel ${customerID}`}, 0))`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    clearDefaultTranslationChannel: (customerID) => clearDefault(customerID).pipe(Effect.orDie),
    delete: (customerID, channelID) =>
      remove({ customerID, channelID }).pipe(
        Effect.orDie,
        Effect.map((rows) => rows.length > 0)
      )
  })
})
