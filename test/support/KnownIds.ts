import { SqlClient } from "@effect/sql"
import { Effect, Option, Predicate } from "effect"
import { type Endpoint, endpoints } from "./Endpoints.ts"
import { sendJson } from "./TestApp.ts"

export interface Person {
  readonly username: string
  readonly token: string
  readonly customerID: number
}

/** ActionID is stored in action_id, EndUserUIDID in end_user_uid_id. */
const columnOf = (brand: string) =>
  `${brand
    .replace(/ID$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()}_id`

/** The table that has this id as its primary key, apart from customer_id. */
const findTable = (column: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ table: string; soft: boolean }>`
      select c.relname as "table", exists (
        select 1 from pg_attribute d where d.attrelid = c.oid and d.attname = 'deleted_at') as soft
      from pg_index i join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
      where i.indisprimary and array[${column}] = (
        select array_agg(a.attname::text) from pg_attribute a
        where a.attrelid = c.oid and a.attnum = any(i.indkey) and a.attname <> 'customer_id')`
    return Option.fromNullable(row)
  })

type Row = Readonly<Record<string, unknown>>

const findRow = (column: string, customerID: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* findTable(column)
    if (Option.isNone(found)) return Option.none<Row>()
    const { soft, table } = found.value
    const rows = yield* sql<Row>`
      select * from ${sql(table)} where customer_id = ${customerID}
      ${sql.literal(soft ? "and deleted_at is null" : "")} order by ${sql(column)} desc limit 1`
    return Option.fromNullable(rows[0])
  })

/** The id in the first row that a list shows to its owner, for ids that are not a table's key. */
const findListed = (endpoint: Endpoint, brand: string, owner: Person) =>
  Effect.gen(function* () {
    const path = endpoint.path.slice(0, endpoint.path.indexOf("/:"))
    const list = endpoints.find((candidate) => candidate.method === "GET" && candidate.path === path)
    if (list === undefined) return Option.none<string | number>()
    const { json } = yield* sendJson("GET", path, { token: owner.token })
    const items = Predicate.isReadonlyRecord(json) ? json["items"] : json
    const first: unknown = Array.isArray(items) ? items[0] : undefined
    if (!Predicate.isReadonlyRecord(first)) return Option.none()
    const entry = Object.entries(first).find(([key]) => key.toLowerCase() === brand.toLowerCase())
    return typeof entry?.[1] === "number" || typeof entry?.[1] === "string" ? Option.some(entry[1]) : Option.none()
  })

const asId = (value: unknown) =>
  typeof value === "number" || typeof value === "string" ? Option.some(value) : Option.none()

/** An id of the given brand that belongs to a customer. */
export const ownId = (brand: string, customerID: number) =>
  brand === "CustomerID"
    ? Effect.succeedSome<string | number>(customerID)
    : Effect.map(
        findRow(columnOf(brand), customerID),
        Option.flatMap((row) => asId(row[columnOf(brand)]))
      )

/**
 * Ids that belong to the owner, for every id in a path. With several, the row of the last one determines the others
 * where it can, so that they belong together. Dies when there is none, so that no endpoint is skipped.
 */
export const ownPathIds = (endpoint: Endpoint, owner: Person) =>
  Effect.gen(function* () {
    const branded = endpoint.parameters.flatMap(({ brand, name }) =>
      Option.isSome(brand) ? [{ name, brand: brand.value }] : []
    )
    const last = branded.at(-1)
    const lastRow = last === undefined ? Option.none() : yield* findRow(columnOf(last.brand), owner.customerID)
    const ids: Record<string, string | number> = {}
    for (const { brand, name } of branded) {
      const id = yield* Option.flatMap(lastRow, (row) => asId(row[columnOf(brand)])).pipe(
        Option.match({ onSome: Effect.succeedSome, onNone: () => ownId(brand, owner.customerID) }),
        Effect.flatMap(Option.match({ onSome: Effect.succeedSome, onNone: () => findListed(endpoint, brand, owner) }))
      )
      if (Option.isNone(id)) {
        return yield* Effect.dieMessage(
          `${endpoint.id} has the id :${name} (${brand}), but ${owner.username}'s customer has no such row: no table has the primary key ${columnOf(brand)} with a row of it, and no list at the start of ${endpoint.path} shows one. Give the demo data one.`
        )
      }
      ids[name] = id.value
    }
    return ids
  })
