import { SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, Layer } from "effect"

const isOfDatabase = (error: unknown): error is SqlError.SqlError => error instanceof SqlError.SqlError

/** Runs the work in a transaction. A database failure becomes a defect, since no caller can do anything about it. */
export const inTransaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
    sql.withTransaction(work).pipe(Effect.catchIf(isOfDatabase, Effect.die))

/** The same for services: they decide what belongs in one transaction, and leave all SQL to repos. */
export class InTransaction extends Context.Tag("casework/InTransaction")<
  InTransaction,
  ReturnType<typeof inTransaction>
>() {
  static readonly layer = Layer.effect(InTransaction, Effect.map(SqlClient.SqlClient, inTransaction))
}

/** Whether a transaction is open where this context is from. */
export const hasTransaction = (context: Context.Context<never>) =>
  context.unsafeMap.has(SqlClient.TransactionConnection.key)

/** Whether the caller is in a transaction. */
export const isWithinTransaction = Effect.map(Effect.context<never>(), hasTransaction)
