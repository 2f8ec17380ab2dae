import { SqlClient, type SqlError } from "@effect/sql"
import { type Cause, Effect, Option, Schedule } from "effect"
import { transactionsHindered } from "../telemetry/ServiceMetrics.ts"
import { sqlState } from "./Violations.ts"

const mostTries = 3

/** The pause before a transaction starts over: at once, it could take the row again that the other one waits for. */
const whileTheOtherGoesOn = Schedule.jittered(Schedule.exponential("20 millis"))

/** Two transactions waited for each other, and PostgreSQL ended this one for the other's sake. */
const isVictim = (cause: Cause.Cause<unknown>) => Option.contains(sqlState(cause), "40P01")

/** Somebody deleted a row after the transaction had looked for it: when it looks again, it sees that. */
const isOutrun = (cause: Cause.Cause<unknown>) => Option.contains(sqlState(cause), "23503")

/** Whether a transaction that ended so is done again. */
export const startsOver = (cause: Cause.Cause<unknown>) => isVictim(cause) || isOutrun(cause)

const count = (cause: Cause.Cause<unknown>) =>
  Effect.sync(() => {
    if (isVictim(cause)) transactionsHindered.add({ reason: "deadlock" })
    else if (isOutrun(cause)) transactionsHindered.add({ reason: "gone" })
  })

/**
 * The same client, whose transactions start over when another one got in their way. Nothing of a first try is left, so
 * what is done in a transaction must be in the database, or do no harm when it is done again.
 */
export const repeatTransactions = <Client extends SqlClient.SqlClient>(sql: Client): Client => {
  const { withTransaction: onTry } = sql
  const tried = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.sandbox(onTry(work)).pipe(
      Effect.tapError(count),
      Effect.retry({ while: startsOver, times: mostTries - 1, schedule: whileTheOtherGoesOn }),
      Effect.unsandbox
    )
  // A transaction within another is a part of it: only the whole can start over.
  const withTransaction = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (outer) =>
      Option.isSome(outer) ? onTry(work) : tried(work)
    )
  return Object.assign(sql, { withTransaction })
}
