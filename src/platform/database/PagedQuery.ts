import { type SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { BadRequest } from "../../../schema/Errors.ts"
import { type PageRequest, totalPages } from "../../../schema/Paging.ts"
import type { Placeholder } from "./WrittenOnce.ts"

/**
 * Returns a list's order. Missing values of optional fields sort as the lowest: first ascending, last descending. Other
 * fields get no nulls clause, since an index that is not made for it would not be used.
 */
export const orderOf = <SortBy extends string>(
  { optional = [], sortBy: columns }: SortColumns<SortBy>,
  { sortBy, sortOrder }: Pick<PageRequest<SortBy>, "sortBy" | "sortOrder">
) => {
  const nothing = sortOrder === "asc" ? "nulls first" : "nulls last"
  return `${columns[sortBy]} ${sortOrder} ${optional.includes(sortBy) ? nothing : ""}`
}

export interface SortColumns<SortBy extends string> {
  /** The SQL expression for each field that the list can be sorted by. */
  readonly sortBy: Readonly<Record<SortBy, string>>
  /** The fields that may have no value. */
  readonly optional?: ReadonlyArray<SortBy>
}

/** A request with the defaults for the parameters that the caller left out. */
export const wholeRequest = <SortBy extends string>(
  { defaults }: { readonly defaults: PageRequest<SortBy> },
  request: Partial<PageRequest<SortBy>>
): PageRequest<SortBy> => {
  // A list's descending default applies to its default field only.
  const ascending = request.sortBy === undefined ? {} : ({ sortOrder: "asc" } as const)
  return { ...defaults, ...ascending, ...request }
}

/**
 * Hides a value from the planner, so that it plans once for all values. For a value that it sees it hopes for a better
 * plan and makes one each time, which takes longer than reading a page.
 */
export const unseen = (
  sql: SqlClient.SqlClient,
  value: number | string | Placeholder,
  type: "bigint" | "int" | "text" = "bigint"
): Statement.Fragment => sql`(select ${value}::${sql.literal(type)})`

/**
 * A page takes many times its size in memory until it is sent. Long mails or documents add up to more than a node has,
 * and then all its customers would wait. A page of one item may have more: that item is to be had somehow.
 */
export const heaviestPage = 64 * 1024 * 1024

/** Fails as a request that cannot be answered as it is: a smaller page is as good as this one. */
export const tooHeavy = Effect.die(
  BadRequest.listing([
    {
      path: "pageSize",
      message: `is too large for these items: a page may have ${heaviestPage / 1024 / 1024} MiB; ask for fewer`
    }
  ])
)

const Total = Schema.Struct({ totalCount: Schema.Int })

const Weight = Schema.Tuple(Schema.Struct({ isLight: Schema.Boolean }))

/**
 * Reads a page of a list and the total count in one round trip; a page past the end takes a second one to count. The
 * order is total: ties are broken by id.
 */
export const pagedQuery = <Filter, Row, RowEncoded, SortBy extends string>(
  sql: SqlClient.SqlClient,
  options: SortColumns<SortBy> & {
    readonly Result: Schema.Schema<Row, RowEncoded>
    readonly columns: Statement.Fragment
    /** What follows `from`, including the where clause. */
    readonly from: (filter: Filter) => Statement.Fragment
    readonly id: string
    /** How many bytes an item has, apart from what all of them have, if it may have many. */
    readonly bytes?: Statement.Fragment
    /** The defaults for the parameters that the caller left out. */
    readonly paging: { readonly defaults: PageRequest<SortBy> }
  }
) => {
  const decodeRows = Schema.decodeUnknown(Schema.Array(options.Result))
  const decodeTotal = Schema.decodeUnknown(Total)
  const count = (filter: Filter) =>
    SqlSchema.single({
      Request: Schema.Void,
      Result: Total,
      execute: () => sql`select count(*)::int as "totalCount" from ${options.from(filter)}`
    })(undefined)
  const decodeWeight = Schema.decodeUnknown(Weight)
  const weigh = (bytes: Statement.Fragment, page: Statement.Fragment) =>
    sql`select coalesce(sum(bytes), 0) <= ${heaviestPage} as "isLight" from (select ${bytes} as bytes from ${page}) page`.pipe(
      Effect.flatMap(decodeWeight),
      Effect.flatMap(([{ isLight }]) => (isLight ? Effect.void : tooHeavy))
    )
  return (filter: Filter, request: Partial<PageRequest<SortBy>>) =>
    Effect.gen(function* () {
      const whole = wholeRequest(options.paging, request)
      const { pageNumber, pageSize } = whole
      const order = sql.literal(`${orderOf(options, whole)}, ${options.id}`)
      const offset = (pageNumber - 1) * pageSize
      const page = sql`${options.from(filter)} order by ${order} limit ${unseen(sql, pageSize)} offset ${unseen(sql, offset)}`
      if (options.bytes !== undefined && pageSize > 1) yield* weigh(options.bytes, page)
      const rows = yield* sql`
        select ${options.columns}, (count(*) over ())::int as "totalCount" from ${page}`
      const items = yield* decodeRows(rows)
      const { totalCount } =
        rows.length === 0 && pageNumber > 1 ? yield* count(filter) : yield* decodeTotal(rows[0] ?? { totalCount: 0 })
      return { items, totalCount, totalPages: totalPages(totalCount, pageSize), pageNumber, pageSize }
    }).pipe(Effect.orDie)
}

/** Sorts text without regard to case, the same on every database whatever its locale. */
export const ignoringCase = (column: string) => `lower(${column}) collate "C"`
