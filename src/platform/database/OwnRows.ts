import type { SqlClient, Statement } from "@effect/sql"
import { Array as Arr, Effect, Schema } from "effect"
import type { CustomerID } from "../../../schema/Ids.ts"
import { inTransaction } from "./InTransaction.ts"
import { failOnDuplicate } from "./Violations.ts"

type Values = Readonly<Record<string, string | number | boolean | null>>

/** The basic statements on a table of customers' rows, each limited to one customer. */
export const ownRows = <Row, RowEncoded>(
  sql: SqlClient.SqlClient,
  options: {
    readonly table: string
    readonly key: string
    readonly columns: Statement.Fragment
    readonly Result: Schema.Schema<Row, RowEncoded>
    /** A condition on the rows that can be found by id; all by default. */
    readonly shown?: string
  }
) => {
  const { columns, Result } = options
  const [table, key] = [sql(options.table), sql(options.key)]
  const decodeRows = Schema.decodeUnknown(Schema.Array(Result))
  const shown = sql.literal(options.shown === undefined ? "" : `and ${options.shown}`)
  const where = (customerID: CustomerID, id: number) =>
    sql`where customer_id = ${customerID} and ${key} = ${id} ${shown}`
  const isAny = Effect.map((rows: ReadonlyArray<unknown>) => rows.length > 0)
  const select = (lock: string) => (customerID: CustomerID, id: number) =>
    sql`select ${columns} from ${table} ${where(customerID, id)} ${sql.literal(lock)}`.pipe(
      Effect.flatMap(decodeRows),
      Effect.map(Arr.head),
      Effect.orDie
    )
  const rowsOf = (customerID: CustomerID, values: ReadonlyArray<Values>) =>
    sql.insert(values.map((row) => ({ customer_id: customerID, ...row })))

  return {
    find: select(""),

    /** Locks the row until the transaction ends. */
    findForUpdate: select("for update"),

    insert: (customerID: CustomerID, values: Values) =>
      sql`insert into ${table} ${rowsOf(customerID, [values])} returning ${columns}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.flatMap(Arr.head),
        failOnDuplicate
      ),

    /** Skips rows that a unique index already has; the others keep their order. */
    insertNew: (customerID: CustomerID, values: ReadonlyArray<Values>) =>
      sql`insert into ${table} ${rowsOf(customerID, values)} on conflict do nothing returning ${columns}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.orDie
      ),

    update: (customerID: CustomerID, id: number, values: Values) =>
      sql`update ${table} set ${sql.update(values)} ${where(customerID, id)} returning ${key}`.pipe(
        isAny,
        failOnDuplicate
      ),

    /** Deletes a row and all that depends on it, in a transaction so that a conflict with another one is retried. */
    delete: (customerID: CustomerID, id: number) =>
      sql`delete from ${table} ${where(customerID, id)} returning ${key}`.pipe(isAny, inTransaction(sql))
  }
}
