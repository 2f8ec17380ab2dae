import { type SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
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

const Total = Schema.Struct({ totalCount: Schema.Int })

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
  return (filter: Filter, request: Partial<PageRequest<SortBy>>) =>
    Effect.gen(function* () {
      const whole = wholeRequest(options.paging, request)
      const { pageNumber, pageSize } = whole
      const order = sql.literal(`${orderOf(options, whole)}, ${options.id}`)
      const rows = yield* sql`
        select ${options.columns}, (count(*) over ())::int as "totalCount" from ${options.from(filter)}
        order by ${order} limit ${unseen(sql, pageSize)} offset ${unseen(sql, (pageNumber - 1) * pageSize)}`
      const items = yield* decodeRows(rows)
      const { totalCount } =
        rows.length === 0 && pageNumber > 1 ? yield* count(filter) : yield* decodeTotal(rows[0] ?? { totalCount: 0 })
      return { items, totalCount, totalPages: totalPages(totalCount, pageSize), pageNumber, pageSize }
    }).pipe(Effect.orDie)
}

/** Sorts text without regard to case, the same on every database whatever its locale. */
export const ignoringCase = (column: string) => `lower(${column}) collate "C"`
