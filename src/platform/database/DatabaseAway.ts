import { SqlError } from "@effect/sql"
import { Cause, Effect, Schedule } from "effect"

// The server refuses, ends or cannot take connections, gave up a statement that took too long, has no room, or is a
// standby that only reads.
const serverStates = /^(?:08\w{3}|25006|53\w{3}|57014|57P0[1-5])$/
const socketCodes = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/
const driverMessages = /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/

const tellsOfAbsence = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (serverStates.test(code) || socketCodes.test(code) || driverMessages.test(error.message)) return true
  return error instanceof AggregateError ? error.errors.some(tellsOfAbsence) : tellsOfAbsence(error.cause)
}

/** What the library says when it gets no connection, for whatever reason. */
const lacksConnection = ({ message }: SqlError.SqlError) => /^Failed to acquire connection/.test(message)

/** Whether something failed because the database is gone or too slow: the caller did nothing wrong and may come back. */
export const isDatabaseAway = (cause: Cause.Cause<unknown>) =>
  [...Cause.failures(cause), ...Cause.defects(cause)].some(
    (error) => error instanceof SqlError.SqlError && (lacksConnection(error) || tellsOfAbsence(error.cause))
  )

/** Tries again while the database is away. Whatever else is wrong stays wrong, and is not tried again. */
export const persistently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.sandbox,
    Effect.retry({
      while: isDatabaseAway,
      schedule: Schedule.union(Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")),
      times: 30
    }),
    Effect.unsandbox
  )
