import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { migrations } from "../../migrations/migrations.ts"
import { ServiceUnavailable } from "../../schema/Errors.ts"
import { appliedMigrations } from "../platform/Migrate.ts"

const everyMigration = Object.keys(migrations)

/** Whether this node can serve: the database answers and has every migration of this version. */
export class Readiness extends Context.Tag("casework/Readiness")<
  Readiness,
  { readonly check: Effect.Effect<void, ServiceUnavailable> }
>() {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      check: appliedMigrations.pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.timeout("2 seconds"),
        Effect.catchAllCause((cause) =>
          Effect.zipRight(Effect.logWarning("not ready", cause), ServiceUnavailable.of("The database does not answer."))
        ),
        Effect.flatMap((applied) =>
          everyMigration.every((name) => applied.includes(name))
            ? Effect.void
            : ServiceUnavailable.of("The database lacks migrations of this version.")
        )
      )
    }))
  )
}
