import type { SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, identity } from "effect"
import { isWithinTransaction } from "./InTransaction.ts"

/** Runs an effect once the current transaction has committed; outside a transaction, at once. */
export class AfterCommit extends Context.Reference<AfterCommit>()("casework/AfterCommit", {
  defaultValue:
    () =>
    (effect: Effect.Effect<void>): Effect.Effect<void> =>
      effect
}) {}

/** Makes the client run deferred effects after each commit. A transaction that is retried starts with none. */
export const leaveForAfterCommit = <Client extends Pick<SqlClient.SqlClient, "withTransaction">>(
  sql: Client
): Client => {
  const { withTransaction: transact } = sql
  const collecting = <R, E, A>(
    work: Effect.Effect<A, E, R>,
    handOn: (left: Effect.Effect<void>) => Effect.Effect<void>
  ): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.suspend(() => {
      let left: Effect.Effect<void> = Effect.void
      const begun = Effect.suspend(() => {
        left = Effect.void
        return Effect.provideService(work, AfterCommit, (effect) =>
          Effect.sync(() => {
            left = Effect.zipRight(left, effect)
          })
        )
      })
      // A caller that is interrupted during the commit must not prevent the deferred effects from running.
      return Effect.uninterruptibleMask((restore) =>
        Effect.zipLeft(
          transact(restore(begun)),
          Effect.suspend(() => handOn(left))
        )
      )
    })
  // A nested transaction commits with the outer one, but only if it has not failed before.
  const withTransaction = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.flatMap(Effect.zip(isWithinTransaction, AfterCommit), ([isNested, outer]) =>
      collecting(work, isNested ? outer : identity)
    )
  return Object.assign(sql, { withTransaction })
}
