import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { migrations } from "../../migrations/migrations.ts"
import { ServiceUnavailable } from "../../schema/Errors.ts"
import { appliedMigrations } from "../platform/database/Migrate.ts"
import { Stopping } from "../platform/Stopping.ts"

const everyMigration = Object.keys(migrations)

/** Whether this node can serve: the database answers, has every migration of this version, and nobody told it to stop. */
export class Readiness extends Context.Tag("casework/Readiness")<
  Readiness,
  { readonly check: Effect.Effect<void, ServiceUnavailable> }
>() {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stopping = yield* Stopping
      const answered = <A, E>(question: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        question.pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.timeout("2 seconds"),
          Effect.catchAllCause((cause) =>
            Effect.zipRight(
              Effect.logWarning("not ready", cause),
              ServiceUnavailable.of("The database does not answer.")
            )
          )
        )
      const hasEveryMigration = Effect.map(answered(appliedMigrations), (applied) =>
        everyMigration.every((name) => applied.includes(name))
      )
      // A standby only reads.
      const onlyReads = Effect.map(
        answered(sql`select 1 where current_setting('transaction_read_only')::boolean`),
        ({ length }) => length > 0
      )
      return {
        check: Effect.gen(function* () {
          if (stopping.hasBegun()) return yield* ServiceUnavailable.of("The service is stopping.")
          if (!(yield* hasEveryMigration)) {
            return yield* ServiceUnavailable.of("The database lacks migrations of this version.")
          }
          if (yield* onlyReads) return yield* ServiceUnavailable.of("The database takes no changes.")
        })
      }
    })
  )
}
