import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { ChannelID, CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import type { Retention } from "../platform/queue/Retention.ts"

/** Twice the longest token lifetime. */
export const removedCustomerRetention: Retention = { table: "removed_customer", since: "removed_at", for: "24 hours" }

const Raised = Schema.Struct({ customerRepID: CustomerRepID, securityVersion: Schema.Int })

/** Reads everything that revoked tokens within the last seconds, for all customers, because every node must know it. */
export class RevocationsRepo extends Context.Tag("casework/RevocationsRepo")<
  RevocationsRepo,
  {
    readonly raisedVersions: (seconds: number) => Effect.Effect<ReadonlyArray<typeof Raised.Type>>
    readonly deletedChannels: (seconds: number) => Effect.Effect<ReadonlyArray<ChannelID>>
    readonly removedCustomers: (seconds: number) => Effect.Effect<ReadonlyArray<CustomerID>>
  }
>() {
  static readonly layer = Layer.effect(
    RevocationsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const raisedVersions = SqlSchema.findAll({
    Request: Schema.Number,
    Result: Raised,
    execute: (seconds) => sql`
      /* all customers: every node must know of every revocation */
      select customer_rep_id as "customerRepID", security_version as "securityVersion" from customer_rep
      where security_changed_at > now() - make_interval(secs => ${seconds}::float8) and security_version > 1`
  })
  const deletedChannels = SqlSchema.findAll({
    Request: Schema.Number,
    Result: Schema.Struct({ channelID: ChannelID }),
    execute: (seconds) => sql`
      /* all customers: every node must know of every channel that is gone */
      select channel_id as "channelID" from channel
      where deleted_at > now() - make_interval(secs => ${seconds}::float8)`
  })
  const removedCustomers = SqlSchema.findAll({
    Request: Schema.Number,
    Result: Schema.Struct({ customerID: CustomerID }),
    execute: (seconds) => sql`
      select about_customer as "customerID" from removed_customer
      where removed_at > now() - make_interval(secs => ${seconds}::float8)`
  })

  return RevocationsRepo.of({
    raisedVersions: (seconds) => raisedVersions(seconds).pipe(Effect.orDie),
    deletedChannels: (seconds) =>
      deletedChannels(seconds).pipe(
        Effect.map((rows) => rows.map(({ channelID }) => channelID)),
        Effect.orDie
      ),
    removedCustomers: (seconds) =>
      removedCustomers(seconds).pipe(
        Effect.map((rows) => rows.map(({ customerID }) => customerID)),
        Effect.orDie
      )
  })
})
