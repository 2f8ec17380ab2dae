import { Context, Effect, Layer } from "effect"
import { ServiceUnavailable } from "../../schema/Errors.ts"
import { Stopping } from "../platform/concurrency/Stopping.ts"
import { makeGlance, takesChanges } from "../platform/database/Glance.ts"
import { hasEveryMigration } from "../platform/database/Migrate.ts"

/** Whether this node can serve: it is not stopping, and the database responds, is migrated and accepts writes. */
export class Readiness extends Context.Tag("casework/Readiness")<
  Readiness,
  { readonly check: Effect.Effect<void, ServiceUnavailable> }
>() {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const stopping = yield* Stopping
      const look = (yield* makeGlance(Effect.all({ hasEveryMigration, takesChanges }))).pipe(
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logWarning("not ready", cause),
            ServiceUnavailable.of("The database does not respond.")
          )
        )
      )
      return {
        check: Effect.gen(function* () {
          if (stopping.hasBegun()) return yield* ServiceUnavailable.of("The service is stopping.")
          const database = yield* look
          if (!database.hasEveryMigration) {
            return yield* ServiceUnavailable.of("The database lacks migrations of this version.")
          }
          if (!database.takesChanges) return yield* ServiceUnavailable.of("The database does not accept changes.")
        })
      }
    })
  )
}
