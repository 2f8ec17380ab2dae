import { HttpApiBuilder } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { migrations } from "../../migrations/migrations.ts"
import { CaseworkApi } from "../../schema/Api.ts"
import { ServiceUnavailable } from "../../schema/Errors.ts"
import { Health } from "../../schema/Health.ts"
import { appliedMigrations } from "../platform/Migrate.ts"

const ok = new Health({ status: "ok" })

const everyMigration = Object.keys(migrations)

export const HealthHttp = HttpApiBuilder.group(CaseworkApi, "health", (handlers) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const applied = appliedMigrations.pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.timeout("2 seconds"),
      Effect.catchAllCause((cause) =>
        Effect.zipRight(Effect.logWarning("not ready", cause), ServiceUnavailable.of("The database does not answer."))
      )
    )
    return handlers
      .handle("live", () => Effect.succeed(ok))
      .handle("ready", () =>
        Effect.flatMap(applied, (names) =>
          everyMigration.every((name) => names.includes(name))
            ? Effect.succeed(ok)
            : ServiceUnavailable.of("The database lacks migrations of this version.")
        )
      )
  })
)
