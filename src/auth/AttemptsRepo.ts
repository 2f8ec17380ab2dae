import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import type { Retention } from "../platform/queue/Retention.ts"

export const attemptRetention: Retention = { table: "attempt", since: "last_failure", for: "1 hour" }

const Keys = Schema.Array(Schema.String)

const Counted = Schema.Struct({
  /** When the database counted the attempt; `forgive` identifies the attempt by it. */
  at: Schema.String,
  /** Null while all keys are within the limit. */
  secondsToWait: Schema.NullOr(Schema.Number)
})

interface Limit {
  readonly failures: number
  readonly minutes: number
}

/** Attempts that failed or are under way. Their keys belong to no customer, since none is known at that point. */
export class AttemptsRepo extends Context.Tag("casework/AttemptsRepo")<
  AttemptsRepo,
  {
    /** Adds one attempt to every key. */
    readonly count: (keys: ReadonlyArray<string>, limit: Limit) => Effect.Effect<typeof Counted.Type>
    readonly forgive: (keys: ReadonlyArray<string>, at: string) => Effect.Effect<void>
    readonly clear: (key: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    AttemptsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The database folds the case, as it does when it looks up a username, so that every spelling shares one counter.
  // The hash keeps a key of any length within the size limit of an index entry.
  const stored = (key: string) => sql.literal(`encode(sha256(convert_to(lower(${key}), 'UTF8')), 'hex')`)

  const count = SqlSchema.single({
    Request: Schema.Struct({ keys: Keys, failures: Schema.Int, minutes: Schema.Int }),
    Result: Counted,
    execute: (_) => sql`
      with counted as (
        insert into attempt as a (key, failures, last_failure)
        select ${stored("k")}, array[now()], now() from unnest(${[..._.keys]}::text[]) as k order by 1
        on conflict (key) do update set last_failure = now(), failures = array(
          select f from unnest(a.failures) as f where f > now() - make_interval(mins => ${_.minutes}::int)
          order by f) || now()
        returning failures)
      select now()::text as at, max(extract(epoch from failures[cardinality(failures) - ${_.failures}::int]
        + make_interval(mins => ${_.minutes}::int) - now()))::float8 as "secondsToWait" from counted`
  })
  const forgive = SqlSchema.void({
    Request: Schema.Struct({ keys: Keys, at: Schema.String }),
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

  return AttemptsRepo.of({
    count: (keys, limit) => count({ keys, ...limit }).pipe(Effect.orDie),
    forgive: (keys, at) => forgive({ keys, at }).pipe(Effect.orDie),
    clear: (key) => clear(key).pipe(Effect.orDie)
  })
})
