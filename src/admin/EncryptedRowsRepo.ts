import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import type { EncryptedColumn } from "../platform/database/EncryptedColumns.ts"

const batchSize = 100

const Row = Schema.Struct({ id: Schema.Int, customerID: CustomerID, stored: Schema.String })
export type EncryptedRow = typeof Row.Type

/** Statements over one encrypted column. */
export const makeEncryptedRowsRepo = ({ column, idColumn, table }: EncryptedColumn) =>
  Effect.map(SqlClient.SqlClient, (sql) => ({
    next: SqlSchema.findAll({
      Request: Schema.Int,
      Result: Row,
      execute: (after) => sql`
        /* all customers: the operator changes the key of the whole service */
        select ${sql(idColumn)} as id, customer_id as "customerID", ${sql(column)} as stored from ${sql(table)}
        where ${sql(idColumn)} > ${after} and ${sql(column)} is not null
        order by ${sql(idColumn)} limit ${batchSize}`
    }),
    // Only if the value is still the one that was read: one written meanwhile is newer and uses the new key already.
    replace: SqlSchema.void({
      Request: Schema.Struct({ ...Row.fields, sealed: Schema.String }),
      execute: (_) => sql`
        update ${sql(table)} set ${sql(column)} = ${_.sealed}
        where customer_id = ${_.customerID} and ${sql(idColumn)} = ${_.id} and ${sql(column)} = ${_.stored}`
    })
  }))
