import type { SqlClient, Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type PageRequest, totalPages } from "../../../schema/Paging.ts"
import { quick } from "./LeanStatements.ts"
import { heaviestPage, orderOf, type SortColumns, tooHeavy, unseen, wholeRequest } from "./PagedQuery.ts"
import { type ReadyPage, readyJson } from "./ReadyJson.ts"
import { type Placeholder, type PlaceholderFor, writtenOnce } from "./WrittenOnce.ts"

/** Without items the page is too heavy. */
const Rows = Schema.Tuple(Schema.Struct({ items: Schema.NullOr(Schema.String), totalCount: Schema.Int }))

interface JsonList<Page, PageEncoded, SortBy extends string> extends SortColumns<SortBy> {
  readonly Page: Schema.Schema<Page, PageEncoded>
  readonly columns: string
  readonly id: string
  /** How many bytes the long texts of an item have, if it has any: a heavy page is then not even built. */
  readonly bytes?: string
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
      const most = sql.literal(String(heaviestPage))
      const page = sql`${from} order by ${order} limit ${unseen(sql, limit)} offset ${unseen(sql, offset)}`
      const bytes = options.bytes === undefined ? undefined : sql.literal(options.bytes)
      const isOne = sql`${unseen(sql, limit)} = 1`
      const isLight =
        bytes === undefined
          ? sql`true`
          : sql`${isOne} or (select coalesce(sum(bytes), 0) from (select ${bytes} as bytes from ${page}) weighed) <= ${most}`
      return sql`
        ${before} select case when ${isOne} or octet_length(whole.items) <= ${most} then whole.items end as items,
          (${count ?? sql`select count(*)::int from ${from}`}) as "totalCount"
        from (select case when ${isLight} then coalesce(
          (select json_agg(page) from (select ${columns} from ${page}) page)::text, '[]') end as items offset 0) whole`
    },
    read: (statement: Statement.Statement<object>, request: PageRequest<SortBy>): Effect.Effect<ReadyPage<Page>> =>
      Effect.gen(function* () {
        const [{ items, totalCount }] = yield* decode(yield* options.isQuick?.(request) ? quick(statement) : statement)
        if (items === null) return yield* tooHeavy
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
