import type { SqlClient, SqlError } from "@effect/sql"
import { type Cause, Effect, Option, Schedule } from "effect"
import { transactionsHindered } from "../telemetry/ServiceMetrics.ts"
import { isWithinTransaction } from "./InTransaction.ts"
import { sqlState } from "./Violations.ts"

const mostTries = 3

/** The pause before a retry: an immediate one could lock the row again before the transaction that waits for it. */
const whileTheOtherGoesOn = Schedule.jittered(Schedule.exponential("20 millis"))

/** Two transactions deadlocked, and PostgreSQL aborted this one. */
const isVictim = (cause: Cause.Cause<unknown>) => Option.contains(sqlState(cause), "40P01")

/** A row was deleted after the transaction had checked for it: a retry sees that it is gone. */
const isOutrun = (cause: Cause.Cause<unknown>) => Option.contains(sqlState(cause), "23503")

/** Whether a transaction that failed like this is retried. */
export const startsOver = (cause: Cause.Cause<unknown>) => isVictim(cause) || isOutrun(cause)

const count = (cause: Cause.Cause<unknown>) =>
  Effect.sync(() => {
    if (isVictim(cause)) transactionsHindered.add({ reason: "deadlock" })
    else if (isOutrun(cause)) transactionsHindered.add({ reason: "gone" })
  })

/**
 * Makes the client retry transactions that another one got in the way of. The failed try is rolled back, so whatever a
 * transaction does must be in the database, or harmless when it is done again.
 */
export const repeatTransactions = <Client extends SqlClient.SqlClient>(sql: Client): Client => {
  const { withTransaction: onTry } = sql
  const tried = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.sandbox(onTry(work)).pipe(
      Effect.tapError(count),
      Effect.retry({ while: startsOver, times: mostTries - 1, schedule: whileTheOtherGoesOn }),
      Effect.unsandbox
    )
  // A nested transaction is part of the outer one: only the whole can be retried.
  const withTransaction = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.flatMap(isWithinTransaction, (isNested) => (isNested ? onTry(work) : tried(work)))
  return Object.assign(sql, { withTransaction })
}
