import { SqlError } from "@effect/sql"
import { Cause, Effect, Schedule } from "effect"

// The server refuses, closes or cannot accept connections, cancelled a statement that took too long, is out of
// resources, or is a read-only standby.
const serverStates = /^(?:08\w{3}|25006|53\w{3}|57014|57P0[1-5])$/
const socketCodes = /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/
const driverMessages = /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/

const tellsOfAbsence = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (serverStates.test(code) || socketCodes.test(code) || driverMessages.test(error.message)) return true
  return error instanceof AggregateError ? error.errors.some(tellsOfAbsence) : tellsOfAbsence(error.cause)
}

/** Matches the library's error when it gets no connection, for whatever reason. */
const lacksConnection = ({ message }: SqlError.SqlError) => /^Failed to acquire connection/.test(message)

/** Whether the failure is due to a database that is away or too slow: the caller did nothing wrong and may retry. */
export const isDatabaseAway = (cause: Cause.Cause<unknown>) =>
  [...Cause.failures(cause), ...Cause.defects(cause)].some(
    (error) => error instanceof SqlError.SqlError && (lacksConnection(error) || tellsOfAbsence(error.cause))
  )

/** Retries while the database is away. Any other failure would recur and is not retried. */
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
