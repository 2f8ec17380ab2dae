import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schedule } from "effect"

/** Removes, at the start and then once an hour, what has run out and nobody may use any more. Every node may do it. */
export const Housekeeping = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sweep = Effect.all([
      sql`/* all customers: old answers */ delete from idempotency where created_at < now() - interval '24 hours'`,
      sql`/* all customers: old tokens */ delete from password_reset where expires_at < now()`,
      sql`delete from attempt where last_failure < now() - interval '1 hour'`,
      sql`/* all customers: finished work */
        delete from job where status in ('Succeeded', 'Failed') and updated_at < now() - interval '30 days'`
    ])
    yield* sweep.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("housekeeping failed", cause)),
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.forkScoped
    )
  })
)
