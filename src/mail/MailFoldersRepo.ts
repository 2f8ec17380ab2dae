import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Duration, Effect, Layer, type Option, Schema, Struct } from "effect"
import { ChannelFolderID, ChannelID, CustomerID } from "../../schema/Ids.ts"
import { inTransaction } from "../platform/database/InTransaction.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"
import { importFolder } from "./MailJobs.ts"

/** A folder as the mail code needs it. */
const MailFolder = Schema.Struct({
  customerID: CustomerID,
  folderID: ChannelFolderID,
  channelID: ChannelID,
  name: Schema.String,
  type: Schema.String,
  parentExternalID: Schema.NullOr(Schema.String),
  externalFolderID: Schema.NullOr(Schema.String),
  /** The service itself found that id, by the type that the folder still has. */
  isLocatedByType: Schema.Boolean,
  /** The folder and its channel retrieve mail by themselves, and the channel is active. */
  retrieves: Schema.Boolean,
  subscriptionID: Schema.NullOr(Schema.String),
  subscriptionExpires: Schema.NullOr(Schema.DateFromSelf),
  /** Encrypted. */
  clientState: Schema.NullOr(Schema.String),
  deltaLink: Schema.NullOr(Schema.String),
  deltaSince: Schema.NullOr(Schema.DateFromSelf)
})
export type MailFolder = typeof MailFolder.Type

const Key = Schema.Struct({ customerID: CustomerID, folderID: ChannelFolderID })

interface FolderState {
  readonly subscriptionID?: string | null
  readonly subscriptionExpires?: Date | null
  readonly clientState?: string | null
  readonly deltaLink?: string | null
  readonly deltaSince?: Date | null
  readonly lastError?: string | null
}

const columns = {
  subscriptionID: "subscription_id",
  subscriptionExpires: "subscription_expires_at",
  clientState: "client_state",
  deltaLink: "delta_link",
  deltaSince: "delta_since",
  lastError: "last_error"
} as const satisfies Readonly<Record<keyof FolderState, string>>

/** Folders of channels that are not deleted, and their state at the provider. */
export class MailFoldersRepo extends Context.Tag("casework/MailFoldersRepo")<
  MailFoldersRepo,
  {
    readonly find: (customerID: CustomerID, folderID: ChannelFolderID) => Effect.Effect<Option.Option<MailFolder>>
    readonly ofChannel: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<ReadonlyArray<MailFolder>>
    /** The folders of all customers that notifications may be about. */
    readonly findNotified: (search: {
      readonly subscriptionIDs: ReadonlyArray<string>
      readonly places: ReadonlyArray<{ readonly mailbox: string; readonly externalFolderID: string }>
    }) => Effect.Effect<ReadonlyArray<MailFolder & { readonly emailAddress: string }>>
    /** The folders of all customers that hold a subscription. Several channels may use the same mailbox. */
    readonly holding: (subscriptionID: string) => Effect.Effect<ReadonlyArray<MailFolder>>
    /** Makes reading start now, skipping mail that is already there, unless an import of that is queued or running. */
    readonly readFromNow: (customerID: CustomerID, folderID: ChannelFolderID) => Effect.Effect<void>
    /** The folders of all customers that retrieve mail by themselves. */
    readonly retrieving: Effect.Effect<ReadonlyArray<MailFolder>>
    /** Those of them whose subscription expires within a while or does not exist. */
    readonly expiring: (within: Duration.Duration) => Effect.Effect<ReadonlyArray<MailFolder>>
    readonly save: (customerID: CustomerID, folderID: ChannelFolderID, state: FolderState) => Effect.Effect<void>
    /**
     * Stores the id at the provider that was looked up for a folder. Does nothing if the folder got another id
     * meanwhile, or anything that it was looked up by was changed, such as the mailbox; returns whether it has that id.
     */
    readonly locate: (
      folder: MailFolder,
      found: { readonly id: string; readonly byType: boolean; readonly mailbox: string }
    ) => Effect.Effect<boolean, Duplicate>
    /**
     * Stores a new id of a folder that was located by its type and makes reading start over. Does nothing if the id or
     * the type was changed meanwhile; returns whether it did.
     */
    readonly relocate: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      place: { readonly from: string; readonly to: string }
    ) => Effect.Effect<boolean, Duplicate>
    /**
     * Stores how far the folder has been read. Does nothing if reading was restarted elsewhere meanwhile, or the channel
     * has another mailbox now; returns whether it did.
     */
    readonly moveOn: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      step: {
        readonly from: string | null
        readonly since: Date | null
        readonly to: string
        readonly isLast: boolean
        readonly mailbox: string
      }
    ) => Effect.Effect<boolean>
    /** Takes folders of any customers. */
    readonly noteNotifications: (folders: ReadonlyArray<MailFolder>) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    MailFoldersRepo,
    Effect.suspend(() => make)
  )
}

const valuesOf = (state: FolderState) =>
  Object.fromEntries(
    Struct.entries(columns).flatMap(([field, column]) => (field in state ? [[column, state[field]]] : []))
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fields = sql.literal(`f.customer_id as "customerID", f.channel_folder_id as "folderID",
    f.channel_id as "channelID", f.name, f.folder_type as type, p.external_folder_id as "parentExternalID",
    f.external_folder_id as "externalFolderID", f.is_located_by_type as "isLocatedByType",
    (f.auto_retrieve_emails and c.auto_retrieve_emails and c.is_active) as retrieves,
    f.subscription_id as "subscriptionID", f.subscription_expires_at as "subscriptionExpires",
    f.client_state as "clientState", f.delta_link as "deltaLink", f.delta_since as "deltaSince"`)
  const from = sql.literal(`channel_folder f
    join channel c on c.customer_id = f.customer_id and c.channel_id = f.channel_id and c.deleted_at is null
    left join channel_folder p on p.customer_id = f.customer_id and p.channel_folder_id = f.parent_folder_id`)

  const find = SqlSchema.findOne({
    Request: Key,
    Result: MailFolder,
    execute: (_) => sql`
      select ${fields} from ${from} where f.customer_id = ${_.customerID} and f.channel_folder_id = ${_.folderID}`
  })
  const ofChannel = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, channelID: ChannelID }),
    Result: MailFolder,
    execute: (_) => sql`
      select ${fields} from ${from} where f.customer_id = ${_.customerID} and f.channel_id = ${_.channelID}
      order by f.channel_folder_id`
  })
  const findNotified = SqlSchema.findAll({
    Request: Schema.Struct({
      subscriptionIDs: Schema.Array(Schema.String),
      folders: Schema.Array(Schema.String),
      mailboxes: Schema.Array(Schema.String)
    }),
    Result: Schema.Struct({ ...MailFolder.fields, emailAddress: Schema.String }),
    execute: (_) => sql`
      /* all customers: the provider says which folder it means, not whose it is */
      select ${fields}, coalesce(c.email_address, '') as "emailAddress" from ${from}
      where lower(f.subscription_id) = any(${_.subscriptionIDs}::text[])
        or (f.external_folder_id = any(${_.folders}::text[]) and lower(c.email_address) = any(${_.mailboxes}::text[]))`
  })
  const retrieving = SqlSchema.findAll({
    Request: Schema.NullOr(Schema.Number),
    Result: MailFolder,
    execute: (seconds) => sql`
      /* all customers: what comes round comes round for everybody */
      select ${fields} from ${from}
      where f.auto_retrieve_emails and c.auto_retrieve_emails and c.is_active and c.channel_type = 'Email'
        and (${seconds}::float8 is null or f.subscription_expires_at is null
          or f.subscription_expires_at <= now() + make_interval(secs => ${seconds}::float8))`
  })

  const notified = (search: Parameters<(typeof MailFoldersRepo)["Service"]["findNotified"]>[0]) =>
    findNotified({
      subscriptionIDs: search.subscriptionIDs.map((id) => id.toLowerCase()),
      folders: search.places.map(({ externalFolderID }) => externalFolderID),
      mailboxes: search.places.map(({ mailbox }) => mailbox.toLowerCase())
    }).pipe(Effect.orDie)

  /** Locks the channel of a folder `f`, as does a request that gives the channel another mailbox. */
  const isIn = (mailbox: string) => sql`
    exists (select from channel c where c.customer_id = f.customer_id and c.channel_id = f.channel_id
      and c.deleted_at is null and lower(c.email_address) = lower(${mailbox}::text) for share)`

  return MailFoldersRepo.of({
    find: (customerID, folderID) => find({ customerID, folderID }).pipe(Effect.orDie),
    ofChannel: (customerID, channelID) => ofChannel({ customerID, channelID }).pipe(Effect.orDie),
    findNotified: notified,
    holding: (subscriptionID) => notified({ subscriptionIDs: [subscriptionID], places: [] }),
    // The folder is locked first, so that the second statement sees an import that is just being requested.
    readFromNow: (customerID, folderID) =>
      sql`
        select from channel_folder where customer_id = ${customerID} and channel_folder_id = ${folderID} for update`.pipe(
        Effect.zipRight(sql`
          update channel_folder set delta_link = null, delta_since = now()
          where customer_id = ${customerID} and channel_folder_id = ${folderID} and not exists (
            select from job where job.customer_id = channel_folder.customer_id and kind = ${importFolder.kind}
              and status in ('Queued', 'Running') and payload ->> 'folderID' = ${String(folderID)})`),
        inTransaction(sql),
        Effect.asVoid
      ),
    retrieving: retrieving(null).pipe(Effect.orDie),
    expiring: (within) => retrieving(Duration.toSeconds(within)).pipe(Effect.orDie),
    locate: ({ customerID, folderID, name, parentExternalID, type }, { byType, id, mailbox }) =>
      sql`
        update channel_folder f set external_folder_id = ${id},
          is_located_by_type = case when external_folder_id is null then ${byType}::boolean else is_located_by_type end
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
          and coalesce(external_folder_id, ${id}) = ${id} and folder_type = ${type} and name = ${name}
          and (select p.external_folder_id from channel_folder p
            where p.customer_id = f.customer_id and p.channel_folder_id = f.parent_folder_id
            ) is not distinct from ${parentExternalID}::text
          and ${isIn(mailbox)}
        returning 1`.pipe(
        Effect.map(({ length }) => length > 0),
        failOnDuplicate
      ),
    relocate: (customerID, folderID, place) =>
      sql`
        update channel_folder set external_folder_id = ${place.to}, delta_link = null
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
          and external_folder_id = ${place.from} and is_located_by_type
        returning 1`.pipe(
        Effect.map(({ length }) => length > 0),
        failOnDuplicate
      ),
    save: (customerID, folderID, state) =>
      sql`
        update channel_folder set ${sql.update(valuesOf(state))}
        where customer_id = ${customerID} and channel_folder_id = ${folderID}`.pipe(Effect.asVoid, Effect.orDie),
    moveOn: (customerID, folderID, { from: before, isLast, mailbox, since, to }) => {
      const done = isLast ? sql`, last_sync_at = now(), last_error = null` : sql``
      return sql`
        update channel_folder f set delta_link = ${to}${done}
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
          and delta_link is not distinct from ${before}::text
          and date_trunc('milliseconds', delta_since) is not distinct from ${since}::timestamptz
          and ${isIn(mailbox)}
        returning 1`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      )
    },
    // Locked in a fixed order: two nodes that update the same folders cannot deadlock.
    noteNotifications: (folders) =>
      sql`
        update channel_folder f set last_notification_at = now()
        from (
          select customer_id, channel_folder_id from channel_folder
          where (customer_id, channel_folder_id) in (
            select * from unnest(${folders.map(({ customerID }) => customerID)}::int[],
              ${folders.map(({ folderID }) => folderID)}::int[]))
          order by channel_folder_id for no key update
        ) told
        where f.customer_id = told.customer_id and f.channel_folder_id = told.channel_folder_id`.pipe(
        Effect.asVoid,
        Effect.orDie
      )
  })
})
