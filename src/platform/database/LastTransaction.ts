import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Option } from "effect"

/** Runs work, and what else must be written with it, as one transaction; then `undo`, only if it did not commit. */
export type Transact = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  undo: Effect.Effect<void>
) => Effect.Effect<A, E | SqlError, R>

/** What the transaction that ends a request must hold besides its work; most requests have nothing of the kind. */
export class LastTransaction extends Context.Reference<LastTransaction>()("casework/LastTransaction", {
  defaultValue: (): Option.Option<Transact> => Option.none()
}) {}

/**
 * For what takes long before it writes anything, as an upload does: only the writing is a transaction, and what a request
 * is remembered by is written with it. It may go on after the work is done, so what it leaves behind when it fails is
 * undone by `undo`, and not by the caller: that would wait for the transaction, and the transaction for the caller.
 */
export const lastTransaction =
  (sql: SqlClient.SqlClient, undo: Effect.Effect<void>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      LastTransaction,
      Option.match({
        onNone: () => Effect.onError(sql.withTransaction(work), () => undo),
        onSome: (transact) => transact(work, undo)
      })
    )
