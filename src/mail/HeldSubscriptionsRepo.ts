import { SqlClient, SqlSchema } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, Option, Schema } from "effect"
import { type ChannelFolderID, ChannelID, CustomerID } from "../../schema/Ids.ts"
import { removeSubscription } from "./MailJobs.ts"

const Held = Schema.Struct({ channelID: ChannelID, subscriptionID: Schema.String })
export type HeldSubscription = typeof Held.Type

/** Which subscription each folder holds, kept consistent between everyone who may be changing that at the same time. */
export class HeldSubscriptionsRepo extends Context.Tag("casework/HeldSubscriptionsRepo")<
  HeldSubscriptionsRepo,
  {
    /** Stores the encrypted clientState unless the folder has one already; returns the stored one. */
    readonly agreeOn: (customerID: CustomerID, folderID: ChannelFolderID, clientState: string) => Effect.Effect<string>
    /**
     * Replaces the held subscription. Does nothing if another request has replaced it meanwhile, if the folder has
     * moved at the provider, or if it no longer retrieves mail by itself; returns whether it did.
     */
    readonly change: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      change: {
        readonly externalID: string
        /** Whether the folder retrieved mail by itself when the subscription was requested. */
        readonly retrieves: boolean
        readonly from: string | null
        readonly to: string
        readonly expires: Date
      }
    ) => Effect.Effect<boolean>
    /**
     * Adopts an existing subscription, unless the folder no longer retrieves mail by itself or is another one at the
     * provider by now; returns the one that the folder held before.
     */
    readonly hold: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      held: {
        readonly subscriptionID: string
        readonly externalID: string
        readonly clientState: string | null
        readonly retrieves: boolean
      }
    ) => Effect.Effect<Option.Option<{ readonly before: string | null }>>
    /** Makes the folder hold no subscription; returns the one that it held. */
    readonly release: (customerID: CustomerID, folderID: ChannelFolderID) => Effect.Effect<Option.Option<string>>
    /** Stores when a subscription expires, unless the folder holds another one, or none, by now. */
    readonly noteExpiry: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      held: { readonly subscriptionID: string; readonly expires: Date }
    ) => Effect.Effect<void>
    /**
     * Undoes `hold`, unless the folder holds another subscription by now. Stores the agreed clientState for the next
     * one.
     */
    readonly letGo: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      held: { readonly subscriptionID: string; readonly before: string | null; readonly clientState: string | null }
    ) => Effect.Effect<void>
    /** Whether a job of any customer is still to remove the subscription at the provider. */
    readonly isEnding: (subscriptionID: string) => Effect.Effect<boolean>
    /** All subscriptions of a customer, including those whose removal waits in the queue. */
    readonly list: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<HeldSubscription>>
  }
>() {
  static readonly layer = Layer.effect(
    HeldSubscriptionsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Locks the channel row, as does every request that switches retrieval off. */
  const goesOn = (retrieves: boolean) => sql`
    exists (select from channel c where c.customer_id = channel_folder.customer_id
      and c.channel_id = channel_folder.channel_id and c.deleted_at is null
      and (channel_folder.auto_retrieve_emails and c.auto_retrieve_emails or not ${retrieves}::boolean) for share)`

  const list = SqlSchema.findAll({
    Request: CustomerID,
    Result: Held,
    execute: (customerID) => sql`
      select channel_id as "channelID", subscription_id as "subscriptionID" from channel_folder
      where customer_id = ${customerID} and subscription_id is not null
      union
      select (payload ->> 'channelID')::int, payload ->> 'subscriptionID' from job
      where customer_id = ${customerID} and kind = ${removeSubscription.kind} and status in ('Queued', 'Running')`
  })

  return HeldSubscriptionsRepo.of({
    agreeOn: (customerID, folderID, clientState) =>
      sql<{ clientState: string }>`
        update channel_folder set client_state = coalesce(client_state, ${clientState})
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
        returning client_state as "clientState"`.pipe(
        Effect.map(([row]) => row?.clientState ?? clientState),
        Effect.orDie
      ),
    change: (customerID, folderID, { expires, externalID, from, retrieves, to }) =>
      sql`
        update channel_folder set subscription_id = ${to}, subscription_expires_at = ${expires}, last_error = null
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
          and subscription_id is not distinct from ${from}::text and external_folder_id = ${externalID}
          and ${goesOn(retrieves)}
        returning 1`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    hold: (customerID, folderID, { clientState, externalID, retrieves, subscriptionID }) =>
      sql<{ before: string | null }>`
        with known as (
          select subscription_id from channel_folder
          where customer_id = ${customerID} and channel_folder_id = ${folderID} and external_folder_id = ${externalID}
            and ${goesOn(retrieves)} for update)
        update channel_folder set subscription_id = ${subscriptionID}, client_state = ${clientState} from known
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
        returning known.subscription_id as before`.pipe(Effect.map(Arr.head), Effect.orDie),
    release: (customerID, folderID) =>
      sql<{ before: string }>`
        with known as (
          select subscription_id from channel_folder
          where customer_id = ${customerID} and channel_folder_id = ${folderID} and subscription_id is not null
          for update)
        update channel_folder set subscription_id = null, subscription_expires_at = null, client_state = null from known
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
        returning known.subscription_id as before`.pipe(
        Effect.map(([row]) => Option.fromNullable(row?.before)),
        Effect.orDie
      ),
    noteExpiry: (customerID, folderID, { expires, subscriptionID }) =>
      sql`
        update channel_folder set subscription_expires_at = ${expires}
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
          and subscription_id = ${subscriptionID}`.pipe(Effect.asVoid, Effect.orDie),
    letGo: (customerID, folderID, { before, clientState, subscriptionID }) =>
      sql`
        update channel_folder set subscription_id = ${before}::text, client_state = ${clientState}
        where customer_id = ${customerID} and channel_folder_id = ${folderID}
          and subscription_id = ${subscriptionID}`.pipe(Effect.asVoid, Effect.orDie),
    isEnding: (subscriptionID) =>
      sql`
        /* all customers: the provider has one subscription for all who stand for a mailbox */
        select 1 from job where kind = ${removeSubscription.kind} and status in ('Queued', 'Running')
          and payload ->> 'subscriptionID' = ${subscriptionID} limit 1`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    list: (customerID) => list(customerID).pipe(Effect.orDie)
  })
})
