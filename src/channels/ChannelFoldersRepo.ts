import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { ChannelFolder } from "../../schema/ChannelFolders.ts"
import { ChannelFolderID, ChannelID, CustomerID } from "../../schema/Ids.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"

const moment = Schema.NullOr(Schema.DateTimeUtcFromDate)

const Stored = Schema.Struct({
  ...ChannelFolder.fields,
  subscriptionExpiresUtc: moment,
  lastNotificationUtc: moment,
  lastSyncUtc: moment
})
type StoredFolder = typeof Stored.Type

const Fields = Schema.Struct({
  name: ChannelFolder.fields.name,
  parentFolderID: ChannelFolder.fields.parentFolderID,
  type: ChannelFolder.fields.type,
  externalFolderID: ChannelFolder.fields.externalFolderID,
  autoRetrieveEmails: ChannelFolder.fields.autoRetrieveEmails
})
type FolderFields = typeof Fields.Type

const Key = Schema.Struct({ customerID: CustomerID, folderID: ChannelFolderID })

type Find = (customerID: CustomerID, folderID: ChannelFolderID) => Effect.Effect<Option.Option<StoredFolder>>

/** The folders of channels that are not deleted. */
export class ChannelFoldersRepo extends Context.Tag("casework/ChannelFoldersRepo")<
  ChannelFoldersRepo,
  {
    readonly list: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<ReadonlyArray<StoredFolder>>
    readonly find: Find
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: Find
    /** Locks all folders of a channel until the transaction ends. */
    readonly lock: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<void>
    /** Switches automatic retrieval on or off for a channel and all its folders. */
    readonly setRetrieving: (customerID: CustomerID, channelID: ChannelID, on: boolean) => Effect.Effect<void>
    /** The channel now stands for another mailbox: its folders are looked up there, and only new mail is read. */
    readonly moveToMailbox: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<void>
    readonly insert: (
      customerID: CustomerID,
      channelID: ChannelID,
      fields: FolderFields
    ) => Effect.Effect<StoredFolder, Duplicate>
    readonly update: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      fields: FolderFields
    ) => Effect.Effect<void, Duplicate>
    /** The folder now stands for another one at the provider, so everything known about the old one is cleared. */
    readonly forgetProvider: (customerID: CustomerID, folderID: ChannelFolderID) => Effect.Effect<void>
    readonly delete: (customerID: CustomerID, folderID: ChannelFolderID) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    ChannelFoldersRepo,
    Effect.suspend(() => make)
  )
}

const toColumns = (fields: typeof Fields.Encoded) => ({
  name: fields.name,
  parent_folder_id: fields.parentFolderID,
  folder_type: fields.type,
  external_folder_id: fields.externalFolderID,
  auto_retrieve_emails: fields.autoRetrieveEmails
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`f.channel_folder_id as "folderID", f.channel_id as "channelID",
    f.customer_id as "customerID", f.name, f.parent_folder_id as "parentFolderID", f.folder_type as type,
    f.external_folder_id as "externalFolderID", f.auto_retrieve_emails as "autoRetrieveEmails",
    f.subscription_id as "subscriptionID", f.subscription_expires_at as "subscriptionExpiresUtc",
    f.last_notification_at as "lastNotificationUtc", f.last_sync_at as "lastSyncUtc",
    coalesce(f.last_error, (select m.error from failed_mail m
      where m.customer_id = f.customer_id and m.channel_folder_id = f.channel_folder_id
      order by m.updated_at desc limit 1)) as "lastError",
    (select count(*)::int from failed_mail m
      where m.customer_id = f.customer_id and m.channel_folder_id = f.channel_folder_id) as "failedMessages"`)
  const from = sql.literal(`channel_folder f
    join channel c on c.customer_id = f.customer_id and c.channel_id = f.channel_id and c.deleted_at is null`)

  const list = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, channelID: ChannelID }),
    Result: Stored,
    execute: (_) => sql`
      select ${columns} from ${from} where f.customer_id = ${_.customerID} and f.channel_id = ${_.channelID}
      order by f.channel_folder_id`
  })
  const select = (lock: string) =>
    SqlSchema.findOne({
      Request: Key,
      Result: Stored,
      execute: (_) => sql`
        select ${columns} from ${from}
        where f.customer_id = ${_.customerID} and f.channel_folder_id = ${_.folderID} ${sql.literal(lock)}`
    })
  const find = select("")
  const findForUpdate = select("for update of f")
  // Mail that is in the folder already is imported only on request.
  const insert = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, channelID: ChannelID, fields: Fields }),
    Result: Stored,
    execute: (_) => sql`
      insert into channel_folder as f (customer_id, channel_id, name, parent_folder_id, folder_type, external_folder_id,
        auto_retrieve_emails, delta_since)
      values (${_.customerID}, ${_.channelID}, ${_.fields.name}, ${_.fields.parentFolderID}, ${_.fields.type},
        ${_.fields.externalFolderID}, ${_.fields.autoRetrieveEmails}, now())
      returning ${columns}`
  })
  // What somebody writes by hand was not found by type.
  const update = SqlSchema.void({
    Request: Schema.Struct({ ...Key.fields, fields: Fields }),
    execute: (_) => sql`
      update channel_folder set ${sql.update(toColumns(_.fields))},
        is_located_by_type = is_located_by_type and folder_type = ${_.fields.type}
          and external_folder_id is not distinct from ${_.fields.externalFolderID}::text
      where customer_id = ${_.customerID} and channel_folder_id = ${_.folderID}`
  })
  const forget = SqlSchema.void({
    Request: Key,
    execute: (_) => sql`
      update channel_folder set subscription_id = null, subscription_expires_at = null, client_state = null,
        delta_link = null, delta_since = now(), last_error = null
      where customer_id = ${_.customerID} and channel_folder_id = ${_.folderID}`
  })
  const remove = SqlSchema.void({
    Request: Key,
    execute: (_) => sql`
      delete from channel_folder where customer_id = ${_.customerID} and channel_folder_id = ${_.folderID}`
  })

  /** In the order of their ids, as everywhere where several are locked, to avoid deadlocks. */
  const lockAll = (customerID: CustomerID, channelID: ChannelID) =>
    sql`
      select 1 from channel_folder where customer_id = ${customerID} and channel_id = ${channelID}
      order by channel_folder_id for no key update`

  return ChannelFoldersRepo.of({
    list: (customerID, channelID) => list({ customerID, channelID }).pipe(Effect.orDie),
    find: (customerID, folderID) => find({ customerID, folderID }).pipe(Effect.orDie),
    findForUpdate: (customerID, folderID) => findForUpdate({ customerID, folderID }).pipe(Effect.orDie),
    lock: (customerID, channelID) => lockAll(customerID, channelID).pipe(Effect.asVoid, Effect.orDie),
    setRetrieving: (customerID, channelID, on) =>
      sql`
        update channel set auto_retrieve_emails = ${on}
        where customer_id = ${customerID} and channel_id = ${channelID}`.pipe(
        Effect.zipRight(lockAll(customerID, channelID)),
        Effect.zipRight(sql`
          update channel_folder set auto_retrieve_emails = ${on}
          where customer_id = ${customerID} and channel_id = ${channelID}`),
        Effect.asVoid,
        Effect.orDie
      ),
    moveToMailbox: (customerID, channelID) =>
      lockAll(customerID, channelID).pipe(
        Effect.zipRight(sql`
          update channel_folder set external_folder_id = null, is_located_by_type = false, delta_link = null,
            delta_since = now(), last_error = null
          where customer_id = ${customerID} and channel_id = ${channelID}`),
        Effect.asVoid,
        Effect.orDie
      ),
    insert: (customerID, channelID, fields) => insert({ customerID, channelID, fields }).pipe(failOnDuplicate),
    update: (customerID, folderID, fields) => update({ customerID, folderID, fields }).pipe(failOnDuplicate),
    forgetProvider: (customerID, folderID) => forget({ customerID, folderID }).pipe(Effect.orDie),
    delete: (customerID, folderID) => remove({ customerID, folderID }).pipe(Effect.orDie)
  })
})
