import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { TooManyRequests } from "../../schema/Errors.ts"

const limit = 10
const windowMinutes = 15

const Keys = Schema.Array(Schema.String)

/**
 * Counts failures by username, address and the like, in the database, so that every node sees them. Attempts on one key
 * are judged one after the other: many at once do not get past the limit.
 */
export class Throttle extends Context.Tag("casework/Throttle")<
  Throttle,
  {
    /** Runs an attempt unless one of its keys has failed too often; a failed attempt counts against all of them. */
    readonly attempt: <A, E, R>(
      keys: ReadonlyArray<string>,
      effect: Effect.Effect<A, E, R>,
      options: { readonly isFailure: (error: E) => boolean; readonly clearOnSuccess?: string }
    ) => Effect.Effect<A, E | TooManyRequests, R>
    /** Counts a use as such; true while it is within the limit. */
    readonly isAllowed: (keys: ReadonlyArray<string>) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    Throttle,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const waitSeconds = SqlSchema.findOne({
        Request: Keys,
        Result: Schema.Struct({ seconds: Schema.NullOr(Schema.Number) }),
        execute: (keys) => sql`
          select max(extract(epoch from failures[cardinality(failures) - ${limit - 1}::int]
            + make_interval(mins => ${windowMinutes}::int) - clock_timestamp()))::float8 as seconds
          from attempt where ${sql.in("key", keys)} and cardinality(failures) >= ${limit}::int`
      })
      const record = SqlSchema.void({
        Request: Keys,
        execute: (keys) => sql`
          insert into attempt as a (key, failures, last_failure)
          select key, array[clock_timestamp()], clock_timestamp() from unnest(${sortedArray(keys)}::text[]) as key
          on conflict (key) do update set last_failure = clock_timestamp(), failures = array(
            select f from unnest(a.failures || clock_timestamp()) as f
            where f > clock_timestamp() - make_interval(mins => ${windowMinutes}::int) order by f)`
      })
      const clear = SqlSchema.void({
        Request: Schema.String,
        execute: (key) => sql`delete from attempt where key = ${key}`
      })
      const oneAtATime = yield* makeKeyedLock
      const secondsToWait = (keys: ReadonlyArray<string>) =>
        waitSeconds(keys).pipe(
          Effect.orDie,
          Effect.map((row) =>
            Option.getOrElse(
              Option.flatMapNullable(row, ({ seconds }) => seconds),
              () => 0
            )
          )
        )
      return {
        attempt: (keys, effect, options) =>
          Effect.gen(function* () {
            const seconds = yield* secondsToWait(keys)
            if (seconds > 0) {
              const minutes = Math.ceil(seconds / 60)
              return yield* TooManyRequests.after(
                seconds,
                `Too many failed attempts. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`
              )
            }
            const result = yield* Effect.tapError(effect, (error) =>
              options.isFailure(error) ? Effect.orDie(record(keys)) : Effect.void
            )
            if (options.clearOnSuccess !== undefined) yield* Effect.orDie(clear(options.clearOnSuccess))
            return result
          }).pipe(oneAtATime(keys)),
        isAllowed: (keys) =>
          Effect.gen(function* () {
            const seconds = yield* secondsToWait(keys)
            yield* Effect.orDie(record(keys))
            return seconds <= 0
          }).pipe(oneAtATime(keys))
      }
    })
  )
}

// Rows are always locked in the same order, so that two attempts never wait for each other.
const sortedArray = (keys: ReadonlyArray<string>) => [...keys].sort()

/** A mutex for each key that is in use right now. */
const makeKeyedLock = Effect.sync(() => {
  const locks = new Map<string, { readonly mutex: Effect.Semaphore; users: number }>()
  const withKey =
    (key: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const lock = locks.get(key) ?? { mutex: Effect.unsafeMakeSemaphore(1), users: 0 }
          locks.set(key, lock)
          lock.users += 1
          return lock
        }),
        (lock) => lock.mutex.withPermits(1)(effect),
        (lock) =>
          Effect.sync(() => {
            lock.users -= 1
            if (lock.users === 0) locks.delete(key)
          })
      )
  return (keys: ReadonlyArray<string>) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      sortedArray(keys).reduce((inner, key) => withKey(key)(inner), effect)
})
