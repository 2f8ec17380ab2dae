import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"

/** Reads a note that the database keeps about something outside of it. */
export const noted = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ value: string }>`select value from installation where name = ${name}`
    return Option.fromNullable(row?.value)
  })

/**
 * Stores a value unless there is one, and returns the one in effect: if several nodes start at once, the first one's.
 */
export const noteFirst = (name: string, value: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const known = yield* noted(name)
    if (Option.isSome(known)) return known.value
    yield* sql`insert into installation (name, value) values (${name}, ${value}) on conflict do nothing`
    return Option.getOrElse(yield* noted(name), () => value)
  })

export const noteAnew = (name: string, value: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      insert into installation (name, value) values (${name}, ${value})
      on conflict (name) do update set value = excluded.value`
  )
