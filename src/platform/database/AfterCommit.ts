import { SqlClient, type SqlError } from "@effect/sql"
import { Context, Effect, Option } from "effect"

/** Runs an effect after the current transaction, and only when that commits; without a transaction, at once. */
export class AfterCommit extends Context.Reference<AfterCommit>()("casework/AfterCommit", {
  defaultValue:
    () =>
    (effect: Effect.Effect<void>): Effect.Effect<void> =>
      effect
}) {}

/**
 * The same client, which runs after each transaction what was left for then. A transaction that starts over begins with
 * nothing left.
 */
export const leaveForAfterCommit = <Client extends Pick<SqlClient.SqlClient, "withTransaction">>(
  sql: Client
): Client => {
  const { withTransaction: transact } = sql
  const whole = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
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
      // A caller who goes away during the commit does not stop what is to follow it.
      return Effect.uninterruptibleMask((restore) =>
        Effect.zipLeft(
          transact(restore(begun)),
          Effect.suspend(() => left)
        )
      )
    })
  // A transaction within another is a part of it, and commits with it.
  const withTransaction = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (outer) =>
      Option.isSome(outer) ? transact(work) : whole(work)
    )
  return Object.assign(sql, { withTransaction })
}
