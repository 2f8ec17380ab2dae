import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { impersonalColumns } from "../../src/dataRights/ImpersonalData.ts"
import { personalTable, personalTables } from "../../src/dataRights/PersonalData.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** Every column that could hold somebody's words. */
const columnsWithWords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')
      and udt_name not in ('_int4', '_int8', '_uuid', '_timestamptz')
    order by 1, 2`
  return rows.map(({ column, table }) => ({ column, table, path: `${table}.${column}` }))
})

const erasedColumns = new Map<string, ReadonlySet<string> | "all">(
  Struct.keys(personalTables).map((table) => {
    const { erasing } = personalTable(table)
    return [table, erasing === "delete" ? "all" : new Set(Object.keys(erasing))]
  })
)

const isErased = (table: string, column: string) => {
  const erased = erasedColumns.get(table)
  return erased === "all" || erased?.has(column) === true
}

layer(TestDatabase, { excludeTestServices: true })("Erasing an end user", (it) => {
  it.effect("covers every column that could hold words, or states a reason not to", () =>
    Effect.gen(function* () {
      const columns = yield* columnsWithWords
      expect(columns.length).toBeGreaterThan(100)
      const forgotten = columns.filter(
        ({ column, path, table }) =>
          !isErased(table, column) && impersonalColumns[table] === undefined && impersonalColumns[path] === undefined
      )
      expect(
        forgotten.map(({ path }) => path),
        "add them to src/dataRights/PersonalData.ts, or to ImpersonalData.ts with the reason"
      ).toEqual([])
    })
  )

  it.effect("states no reason for a column that is missing or erased", () =>
    Effect.gen(function* () {
      const columns = yield* columnsWithWords
      const tables = new Set(columns.map(({ table }) => table))
      const stale = Object.keys(impersonalColumns).filter((name) => {
        const [table = "", column] = name.split(".")
        if (column === undefined) return !tables.has(table) || erasedColumns.has(table)
        return !columns.some(({ path }) => path === name) || isErased(table, column)
      })
      expect(stale).toEqual([])
    })
  )
})
