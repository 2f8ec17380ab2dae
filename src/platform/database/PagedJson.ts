import type { SqlClient, Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type PageRequest, totalPages } from "../../../schema/Paging.ts"
import { quick } from "./LeanStatements.ts"
import { orderOf, type SortColumns, unseen, wholeRequest } from "./PagedQuery.ts"
import { type ReadyPage, readyJson } from "./ReadyJson.ts"

const Rows = Schema.Tuple(Schema.Struct({ items: Schema.String, totalCount: Schema.Int }))

/**
 * A page of a hot list as JSON that PostgreSQL built, and how many there are, in one round trip. The order is total:
 * ties go by id, downwards like the rest so that one index serves it.
 */
export const pagedJson = <Filter, Page, PageEncoded, SortBy extends string>(
  sql: SqlClient.SqlClient,
  options: SortColumns<SortBy> & {
    readonly Page: Schema.Schema<Page, PageEncoded>
    readonly columns: string
    /** What is looked up once and used by both the page and the count: a `with` clause. */
    readonly with?: (filter: Filter) => Statement.Fragment | undefined
    /** What stands behind `from`, with its where clause. */
    readonly from: (filter: Filter) => Statement.Fragment
    /** How many rows there are; without it they are counted. */
    readonly count?: (filter: Filter) => Statement.Fragment | undefined
    readonly id: string
    /** Which pages take no time, however much there is. */
    readonly isQuick?: (request: PageRequest<SortBy>) => boolean
    readonly paging: { readonly defaults: PageRequest<SortBy> }
  }
) => {
  const decode = Schema.decodeUnknown(Rows)
  const columns = sql.literal(options.columns)
  return (filter: Filter, request: Partial<PageRequest<SortBy>>): Effect.Effect<ReadyPage<Page>> =>
    Effect.gen(function* () {
      const whole = wholeRequest(options.paging, request)
      const { pageNumber, pageSize } = whole
      const order = sql.literal(`${orderOf(options, whole)}, ${options.id} ${whole.sortOrder}`)
      const from = options.from(filter)
      const count = options.count?.(filter) ?? sql`select count(*)::int from ${from}`
      const page = sql`
        ${options.with?.(filter) ?? sql``} select coalesce((select json_agg(page) from (
            select ${columns} from ${from} order by ${order}
            limit ${unseen(sql, pageSize)} offset ${unseen(sql, (pageNumber - 1) * pageSize)}
          ) page)::text, '[]') as items, (${count}) as "totalCount"`
      const rows = yield* options.isQuick?.(whole) ? quick(page) : page
      const [{ items, totalCount }] = yield* decode(rows)
      const pages = totalPages(totalCount, pageSize)
      const text = `{"items":${items},"totalCount":${totalCount},"totalPages":${pages}}`
      return { ...readyJson(options.Page, text), totalCount }
    }).pipe(Effect.orDie)
}
