import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { TooManyRequests } from "../../schema/Errors.ts"
import { inTransaction } from "../platform/database/InTransaction.ts"
import { makeKeyedPermits } from "../platform/KeyedPermits.ts"
import { fn } from "../platform/telemetry/Fn.ts"

const limit = 10
const windowMinutes = 15

/**
 * Counts failures by username, address and the like, in the database, so that every node sees them. An attempt counts
 * before it is made and is forgiven when it succeeds: many at once, on any nodes, do not get past the limit.
 */
export class Throttle extends Context.Tag("casework/Throttle")<
  Throttle,
  {
    /** Runs an attempt unless one of its keys has failed too often; one that fails counts against all of them. */
    readonly attempt: <A, E, R>(
      keys: ReadonlyArray<string>,
      effect: Effect.Effect<A, E, R>,
      options?: { readonly clearOnSuccess: string }
    ) => Effect.Effect<A, E | TooManyRequests, R>
    /** Counts a use as such; true while it is within the limit. */
    readonly isAllowed: (keys: ReadonlyArray<string>) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    Throttle,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const oneAtATime = yield* makeKeyedPermits(1)

  // The database folds the case, as it does when it looks a username up: no spelling gets a counter of its own. The hash
  // keeps a key of any length within what an index takes.
  const stored = (key: string) => sql.literal(`encode(sha256(convert_to(lower(${key}), 'UTF8')), 'hex')`)

  const count = SqlSchema.single({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ at: Schema.String, secondsToWait: Schema.NullOr(Schema.Number) }),
    execute: (keys) => sql`
      with counted as (
        insert into attempt as a (key, failures, last_failure)
        select ${stored("k")}, array[now()], now() from unnest(${[...keys]}::text[]) as k order by 1
        on conflict (key) do update set last_failure = now(), failures = array(
          select f from unnest(a.failures) as f where f > now() - make_interval(mins => ${windowMinutes}::int)
          order by f) || now()
        returning failures)
      select now()::text as at, max(extract(epoch from failures[cardinality(failures) - ${limit}::int]
        + make_interval(mins => ${windowMinutes}::int) - now()))::float8 as "secondsToWait" from counted`
  })
  const forgive = SqlSchema.void({
    Request: Schema.Struct({ keys: Schema.Array(Schema.String), at: Schema.String }),
    execute: (_) => sql`
      update attempt a set failures = array_remove(failures, ${_.at}::timestamptz)
      from (
        select key from attempt where key in (select ${stored("k")} from unnest(${[..._.keys]}::text[]) as k)
        order by key for no key update
      ) counted
      where a.key = counted.key`
  })
  const clear = SqlSchema.void({
    Request: Schema.String,
    execute: (key) => sql`delete from attempt where key = (select ${stored("k")} from (values (${key}::text)) as v (k))`
  })

  const tooMany = (seconds: number) => {
    const minutes = Math.ceil(seconds / 60)
    return TooManyRequests.after(
      seconds,
      `Too many failed attempts. Try again in ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`
    )
  }

  /** Counts one more on every key, or on none of them when one is at its limit. */
  const reserve = (keys: ReadonlyArray<string>) =>
    count(keys).pipe(
      Effect.orDie,
      Effect.flatMap(({ at, secondsToWait }) => (secondsToWait === null ? Effect.succeed(at) : tooMany(secondsToWait))),
      inTransaction(sql)
    )

  return Throttle.of({
    attempt: fn("Throttle.attempt")(function* <A, E, R>(
      keys: ReadonlyArray<string>,
      effect: Effect.Effect<A, E, R>,
      options?: { readonly clearOnSuccess: string }
    ) {
      // One at a time on this node, so that good attempts made at once are not taken for failures.
      return yield* oneAtATime.withPermits(keys)(
        Effect.gen(function* () {
          const at = yield* reserve(keys)
          const result = yield* Effect.tapDefect(effect, () => Effect.orDie(forgive({ keys, at })))
          yield* Effect.orDie(forgive({ keys, at }))
          if (options !== undefined) yield* Effect.orDie(clear(options.clearOnSuccess))
          return result
        })
      )
    }),
    isAllowed: fn("Throttle.isAllowed")(function* (keys) {
      return yield* reserve(keys).pipe(
        Effect.as(true),
        Effect.catchTag("TooManyRequests", () => Effect.succeed(false))
      )
    })
  })
})
