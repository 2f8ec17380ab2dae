import { SqlError } from "@effect/sql"
import { Cause, type Duration, Effect, Schedule } from "effect"

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

const silence = "The database did not respond in time"

/** Whether the failure is due to a database that is away or too slow: the caller did nothing wrong and may retry. */
export const isDatabaseAway = (cause: Cause.Cause<unknown>) =>
  [...Cause.failures(cause), ...Cause.defects(cause)].some(
    (error) => error instanceof SqlError.SqlError && (lacksConnection(error) || tellsOfAbsence(error.cause))
  )

/**
 * Takes the database for away when it has not responded for so long. Does not wait until the statement is cancelled,
 * which takes seconds more on a database that has gone silent.
 */
export const awayAfter =
  (limit: Duration.DurationInput) =>
  <A, E, R>(look: Effect.Effect<A, E, R>) =>
    look.pipe(
      Effect.disconnect,
      Effect.timeoutFail({
        duration: limit,
        onTimeout: () => new SqlError.SqlError({ cause: Object.assign(new Error(silence), { code: "ETIMEDOUT" }) })
      }),
      Effect.orDie
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
