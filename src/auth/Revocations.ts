import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { CustomerRepID } from "../../schema/Ids.ts"

/** How far the poll looks back: a change becomes visible only when its transaction commits. */
const overlap = "1 minute"

const everySoOften = Schedule.spaced("2 seconds")

/**
 * Knows which tokens have ended before their time. Each representative has a security version that a new password, a new
 * role or its deletion raises; a token carries the version it was made with. Every node keeps the recent changes in
 * memory, so that no request has to ask the database.
 */
export class Revocations extends Context.Tag("casework/Revocations")<
  Revocations,
  {
    readonly isCurrent: (customerRepID: CustomerRepID, securityVersion: number) => boolean
    /** Tells this node at once; the others find out within seconds. */
    readonly raised: (customerRepID: CustomerRepID, securityVersion: number) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Revocations,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const versions = new Map<CustomerRepID, number>()
      const raise = (customerRepID: CustomerRepID, version: number) => {
        if (version > (versions.get(customerRepID) ?? 0)) versions.set(customerRepID, version)
      }
      const changedSince = SqlSchema.findAll({
        Request: Schema.String,
        Result: Schema.Struct({ customerRepID: CustomerRepID, securityVersion: Schema.Int }),
        execute: (age) => sql`
          /* all customers: every node must know of every revocation */
          select customer_rep_id as "customerRepID", security_version as "securityVersion" from customer_rep
          where security_changed_at > now() - ${age}::interval and security_version > 1`
      })
      const learn = (age: string) =>
        Effect.map(changedSince(age), (rows) => {
          for (const row of rows) raise(row.customerRepID, row.securityVersion)
        })
      // Tokens live 12 hours: older changes concern none that is still valid.
      yield* learn("13 hours").pipe(Effect.orDie)
      yield* learn(overlap).pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("could not look for revoked tokens", cause)),
        Effect.schedule(everySoOften),
        Effect.forkScoped
      )
      return {
        isCurrent: (customerRepID, version) => version >= (versions.get(customerRepID) ?? 0),
        raised: (customerRepID, version) => Effect.sync(() => raise(customerRepID, version))
      }
    })
  )
}
