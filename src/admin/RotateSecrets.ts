import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { type EncryptedColumn, encryptedColumns } from "../platform/EncryptedColumns.ts"
import { Secrets } from "../platform/Secrets.ts"

const batch = 100

const Row = Schema.Struct({ id: Schema.Int, customerID: CustomerID, stored: Schema.String })

/** Statements over one encrypted column. */
const makeColumn = ({ column, idColumn, table }: EncryptedColumn) =>
  Effect.map(SqlClient.SqlClient, (sql) => ({
    next: SqlSchema.findAll({
      Request: Schema.Int,
      Result: Row,
      execute: (after) => sql`
        /* all customers: the operator changes the key of the whole service */
        select ${sql(idColumn)} as id, customer_id as "customerID", ${sql(column)} as stored from ${sql(table)}
        where ${sql(idColumn)} > ${after} and ${sql(column)} is not null
        order by ${sql(idColumn)} limit ${batch}`
    }),
    // Only what is still there as it was read: what somebody wrote meanwhile is newer, and has the new key already.
    replace: SqlSchema.void({
      Request: Schema.Struct({ ...Row.fields, sealed: Schema.String }),
      execute: (_) => sql`
        update ${sql(table)} set ${sql(column)} = ${_.sealed}
        where customer_id = ${_.customerID} and ${sql(idColumn)} = ${_.id} and ${sql(column)} = ${_.stored}`
    })
  }))

export interface Rotated {
  readonly changed: number
  readonly current: number
  /** Rows whose key SECRETS_KEY does not list; they stay as they are. */
  readonly unreadable: ReadonlyArray<string>
}

const rotateColumn = Effect.fn("RotateSecrets.column")(function* (place: EncryptedColumn) {
  const secrets = yield* Secrets
  const { next, replace } = yield* makeColumn(place)
  let changed = 0
  let current = 0
  const unreadable: Array<string> = []
  for (let rows = yield* next(0); rows.length > 0; rows = yield* next(rows.at(-1)?.id ?? 0)) {
    for (const row of rows) {
      if (secrets.isCurrent(row.stored)) {
        current++
        continue
      }
      const bound = { table: place.table, column: place.column, customerID: row.customerID }
      yield* secrets.decrypt(bound, row.stored).pipe(
        Effect.map((plain) => ({ ...row, sealed: secrets.encrypt(bound, plain) })),
        Effect.matchCauseEffect({
          onFailure: () => Effect.sync(() => unreadable.push(`${place.table}.${place.column} of ${row.id}`)),
          onSuccess: (sealed) =>
            Effect.zipRight(
              replace(sealed),
              Effect.sync(() => changed++)
            )
        })
      )
    }
  }
  return { changed, current, unreadable }
})

/**
 * Encrypts every secret anew with the first SECRETS_KEY. Each row is done for itself and done rows are passed over, so
 * it can be stopped at any time and started again.
 */
export const rotateSecrets = Effect.forEach(encryptedColumns, rotateColumn).pipe(
  Effect.map(
    (columns): Rotated => ({
      changed: columns.reduce((sum, column) => sum + column.changed, 0),
      current: columns.reduce((sum, column) => sum + column.current, 0),
      unreadable: columns.flatMap((column) => column.unreadable)
    })
  ),
  Effect.orDie
)
