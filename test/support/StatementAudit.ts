import { SqlClient, Statement } from "@effect/sql"
import { Effect, Layer } from "effect"
import { type SqlBlock, sqlBlocks, type TableMention } from "./SqlBlocks.ts"

const marker = /\/\* all customers: \S.*?\*\//s

// Statements that define or configure something and touch no row.
const harmless = new Set(
  "create alter drop comment grant revoke set reset show begin commit rollback savepoint release listen unlisten notify analyze vacuum discard".split(
    " "
  )
)

/**
 * The aliases in a block that are restricted to a customer: by a value, by an insert that fills the column, by a
 * surrounding block, or by another table that is itself restricted.
 */
const tiedDown = (block: SqlBlock, tenants: ReadonlyArray<TableMention>) => {
  const inserted = block.insertsCustomer ? block.tables[0]?.alias : undefined
  const read = tenants.filter(({ alias }) => alias !== inserted)
  const tied = new Set(inserted === undefined ? [] : [inserted])
  const links: Array<readonly [string, string]> = []
  for (const condition of block.conditions) {
    const alias = condition.alias ?? (read.length === 1 ? read[0]?.alias : undefined)
    if (alias === undefined) continue
    const { other } = condition
    if (other !== undefined && tenants.some((tenant) => tenant.alias === other))
      links.push([alias, other], [other, alias])
    else tied.add(alias)
  }
  if (block.joinsByCustomer) {
    for (const { alias } of block.tables) for (const { alias: other } of block.tables) links.push([alias, other])
  }
  for (const _ of links) for (const [alias, other] of links) if (tied.has(other)) tied.add(alias)
  return tied
}

/** The tenant tables that a statement touches without restricting them to a customer. */
export const unscopedTables = (text: string, tenantTables: ReadonlySet<string>): ReadonlyArray<string> => {
  const { blocks, comments, firstWord } = sqlBlocks(text)
  if (marker.test(comments) || harmless.has(firstWord)) return []
  const unscoped = blocks.flatMap((block) => {
    const tenants = block.tables.filter(({ table }) => tenantTables.has(table))
    const tied = tiedDown(block, tenants)
    return tenants.filter(({ alias }) => !tied.has(alias)).map(({ table }) => table)
  })
  return [...new Set(unscoped)]
}

export const findTenantTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ table: string }>`
    select table_name as "table" from information_schema.columns
    where table_schema = 'public' and column_name = 'customer_id' and table_name <> 'customer'`
  return new Set(rows.map((row) => row.table))
})

/** Every statement that the service has run so far, with the parameters of its last run. */
export const heard = new Map<string, ReadonlyArray<unknown>>()

/**
 * Inspects every statement that the service runs under test, and fails any that touches a tenant's table without its
 * customer_id, so that no test can miss it.
 */
export const StatementAudit = Layer.unwrapEffect(
  Effect.map(findTenantTables, (tenantTables) => {
    const known = new Map<string, ReadonlyArray<string>>()
    return Statement.setTransformer((statement) => {
      const [text, parameters] = statement.compile()
      heard.set(text, parameters)
      const unscoped = known.get(text) ?? unscopedTables(text, tenantTables)
      known.set(text, unscoped)
      return unscoped.length === 0
        ? Effect.succeed(statement)
        : Effect.die(new Error(`Statement without customer_id of ${unscoped.join(", ")}:\n${text}`))
    })
  })
)
