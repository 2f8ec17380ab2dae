import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Option } from "effect"

/** Runs work as a transaction, with what else must be in it. */
export type Transact = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError, R>

/** What the transaction that ends a request must hold besides its work; most requests have nothing of the kind. */
export class LastTransaction extends Context.Reference<LastTransaction>()("casework/LastTransaction", {
  defaultValue: (): Option.Option<Transact> => Option.none()
}) {}

/**
 * For what takes long before it writes anything, as an upload does: only the writing is a transaction, and what a request
 * is remembered by is written with it.
 */
export const lastTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(LastTransaction, (transact) => Option.getOrElse(transact, (): Transact => sql.withTransaction)(work))
