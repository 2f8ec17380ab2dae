import { SqlClient, Statement } from "@effect/sql"
import { Effect, Layer } from "effect"

/** What follows from, join, update or into: a table and the name it goes by. */
const mentions =
  /\b(?:from|join|update|into)\s+(?:only\s+)?"?([a-z_]+)"?(?:\s+(?:as\s+)?(?!where\b|set\b|on\b|join\b|left\b|inner\b|order\b|group\b|limit\b|values\b|select\b|returning\b|for\b|using\b)([a-z_]+))?/gi

const marker = /\/\* all customers: .+? \*\//s

/** The tenant tables that a statement touches without naming their customer. */
export const unscopedTables = (text: string, tenantTables: ReadonlySet<string>): ReadonlyArray<string> => {
  if (marker.test(text)) return []
  const touched = [...text.matchAll(mentions)]
    .map(([, table = "", alias]) => ({ table: table.toLowerCase(), alias: (alias ?? table).toLowerCase() }))
    .filter(({ table }) => tenantTables.has(table))
  const scoped = (alias: string) =>
    touched.length === 1
      ? /\bcustomer_id\b/i.test(text)
      : new RegExp(`\\b${alias}\\.customer_id\\b`, "i").test(text) ||
        new RegExp(`into\\s+${alias}\\s*\\([^)]*customer_id`, "i").test(text)
  return [...new Set(touched.filter(({ alias }) => !scoped(alias)).map(({ table }) => table))]
}

export const findTenantTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ table: string }>`
    select table_name as "table" from information_schema.columns
    where table_schema = 'public' and column_name = 'customer_id' and table_name <> 'customer'`
  return new Set(rows.map((row) => row.table))
})

/**
 * Hears every statement that the service runs under test and kills the one that touches a tenant's table without its
 * customer_id, so that no test can pass over it.
 */
export const StatementAudit = Layer.unwrapEffect(
  Effect.map(findTenantTables, (tenantTables) =>
    Statement.setTransformer((statement) => {
      const [text] = statement.compile()
      const unscoped = unscopedTables(text, tenantTables)
      return unscoped.length === 0
        ? Effect.succeed(statement)
        : Effect.die(new Error(`Statement without customer_id of ${unscoped.join(", ")}:\n${text}`))
    })
  )
)
