import type { SqlClient, Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type PageRequest, totalPages } from "../../../schema/Paging.ts"
import { quick } from "./LeanStatements.ts"
import { orderOf, type SortColumns, unseen, wholeRequest } from "./PagedQuery.ts"
import { type ReadyPage, readyJson } from "./ReadyJson.ts"
import { type Placeholder, type PlaceholderFor, writtenOnce } from "./WrittenOnce.ts"

const Rows = Schema.Tuple(Schema.Struct({ items: Schema.String, totalCount: Schema.Int }))

interface JsonList<Page, PageEncoded, SortBy extends string> extends SortColumns<SortBy> {
  readonly Page: Schema.Schema<Page, PageEncoded>
  readonly columns: string
  readonly id: string
  /** Which pages are quick to read, however many rows there are. */
  readonly isQuick?: (request: PageRequest<SortBy>) => boolean
  readonly paging: { readonly defaults: PageRequest<SortBy> }
}

interface Parts {
  readonly with?: Statement.Fragment | undefined
  readonly from: Statement.Fragment
  readonly count?: Statement.Fragment | undefined
  readonly limit: number | Placeholder
  readonly offset: number | Placeholder
}

const offsetOf = ({ pageNumber, pageSize }: PageRequest<string>) => (pageNumber - 1) * pageSize

const pagesOf = <Page, PageEncoded, SortBy extends string>(
  sql: SqlClient.SqlClient,
  options: JsonList<Page, PageEncoded, SortBy>
) => {
  const decode = Schema.decodeUnknown(Rows)
  const columns = sql.literal(options.columns)
  return {
    statement: ({ count, from, limit, offset, with: before = sql`` }: Parts, request: PageRequest<SortBy>) => {
      const order = sql.literal(`${orderOf(options, request)}, ${options.id} ${request.sortOrder}`)
      return sql`
        ${before} select coalesce((select json_agg(page) from (
            select ${columns} from ${from} order by ${order}
            limit ${unseen(sql, limit)} offset ${unseen(sql, offset)}
          ) page)::text, '[]') as items, (${count ?? sql`select count(*)::int from ${from}`}) as "totalCount"`
    },
    read: (statement: Statement.Statement<object>, request: PageRequest<SortBy>): Effect.Effect<ReadyPage<Page>> =>
      Effect.gen(function* () {
        const [{ items, totalCount }] = yield* decode(yield* options.isQuick?.(request) ? quick(statement) : statement)
        const pages = totalPages(totalCount, request.pageSize)
        const text = `{"items":${items},"totalCount":${totalCount},"totalPages":${pages}}`
        return { ...readyJson(options.Page, text), totalCount }
      }).pipe(Effect.orDie)
  }
}

/**
 * Reads a page of a hot list, as JSON built by PostgreSQL, and the total count in one round trip. The order is total:
 * ties are broken by id, in the same direction as the rest so that one index serves both.
 */
export const pagedJson = <Filter, Page, PageEncoded, SortBy extends string>(
  sql: SqlClient.SqlClient,
  options: JsonList<Page, PageEncoded, SortBy> & {
    /** A `with` clause: looked up once, used by both the page and the count. */
    readonly with?: (filter: Filter) => Statement.Fragment | undefined
    /** What follows `from`, including the where clause. */
    readonly from: (filter: Filter) => Statement.Fragment
    /** The number of rows; without it they are counted. */
    readonly count?: (filter: Filter) => Statement.Fragment | undefined
  }
) => {
  const pages = pagesOf(sql, options)
  return (filter: Filter, request: Partial<PageRequest<SortBy>>) => {
    const whole = wholeRequest(options.paging, request)
    const parts = {
      with: options.with?.(filter),
      from: options.from(filter),
      count: options.count?.(filter),
      limit: whole.pageSize,
      offset: offsetOf(whole)
    }
    return pages.read(pages.statement(parts, whole), whole)
  }
}

/** `pagedJson` for a list whose filters differ only in their values: its statement is written once per sort order. */
export const pagedJsonOnce = <Filter extends object, Page, PageEncoded, SortBy extends string>(
  sql: SqlClient.SqlClient,
  options: JsonList<Page, PageEncoded, SortBy> & {
    /** What follows `from`, including the where clause. */
    readonly from: (place: PlaceholderFor<Filter>) => Statement.Fragment
  }
) => {
  const pages = pagesOf(sql, options)
  const written = new Map<string, ReturnType<typeof write>>()
  const write = (request: PageRequest<SortBy>) =>
    writtenOnce<{ readonly filter: Filter; readonly limit: number; readonly offset: number }>(sql, (place) => {
      const from = options.from((of) => place(({ filter }) => of(filter)))
      return pages.statement({ from, limit: place((_) => _.limit), offset: place((_) => _.offset) }, request)
    })
  return (filter: Filter, request: Partial<PageRequest<SortBy>>) => {
    const whole = wholeRequest(options.paging, request)
    const order = `${whole.sortBy} ${whole.sortOrder}`
    const statement = written.get(order) ?? write(whole)
    written.set(order, statement)
    return pages.read(statement({ filter, limit: whole.pageSize, offset: offsetOf(whole) }), whole)
  }
}
