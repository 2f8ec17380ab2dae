import { SqlClient, type Statement } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { encryptedColumns } from "../../src/platform/database/EncryptedColumns.ts"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { type AdminOptions, adminWith } from "./RunAdmin.ts"

const oldKey = "old-key-of-enough-length"
const newKey = "new-key-of-enough-length"

const secretsOf = (keys: string) => Secrets.layer.pipe(Layer.provide(settingsLayer({ SECRETS_KEY: keys })))

const rotate = (keys: string, options: AdminOptions = {}) =>
  adminWith({ settings: { SECRETS_KEY: keys }, ...options }, "rotate-secrets")

type Place = (typeof encryptedColumns)[number]

const rowsOf = ({ column, idColumn, table }: Place) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: number; customerID: number; stored: string | null }>`
      /* all customers: every secret there is */
      select ${sql(idColumn)} as id, customer_id as "customerID", ${sql(column)} as stored
      from ${sql(table)} order by 1`
  )

const plainText = ({ column, table }: Place, id: number) => `${table} ${column} ${id}`

const inOneTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))

/** Creates more rows than one batch holds, with a secret in every encrypted column of every row. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets
  yield* sql`insert into outbox_mail (customer_id, recipient, content)
    select 1, 'a@acme.example', '' from generate_series(1, 105)`
  yield* sql`insert into document (customer_id, name, is_data_retrieval_process)
    select customer_id, 'Stock', true from customer`
  let count = 0
  for (const place of encryptedColumns) {
    const { column, idColumn, table } = place
    const rows = yield* rowsOf(place)
    expect(rows.length, `${table} has rows to try`).toBeGreaterThan(0)
    for (const { customerID, id } of rows) {
      const sealed = secrets.encrypt({ table, column, customerID }, plainText(place, id))
      yield* sql`update ${sql(table)} set ${sql(column)} = ${sealed} 
        where customer_id = ${customerID} and ${sql(idColumn)} = ${id}`
      count++
    }
  }
  return count
}).pipe(Effect.provide(secretsOf(oldKey)), inOneTransaction)

const countCurrent = Effect.gen(function* () {
  const secrets = yield* Secrets
  const stored = yield* Effect.forEach(encryptedColumns, rowsOf)
  return stored.flat().filter((row) => row.stored !== null && secrets.isCurrent(row.stored)).length
}).pipe(Effect.provide(secretsOf(newKey)))

const everythingReadable = Effect.gen(function* () {
  const secrets = yield* Secrets
  for (const place of encryptedColumns) {
    const { column, table } = place
    for (const { customerID, id, stored } of yield* rowsOf(place)) {
      expect(yield* secrets.decrypt({ table, column, customerID }, yield* Effect.fromNullable(stored))).toBe(
        plainText(place, id)
      )
    }
  }
}).pipe(Effect.provide(secretsOf(newKey)))

/** Loses the database at the given update. */
const losingTheDatabaseAt = (update: number): Statement.Statement.Transformer => {
  let updates = 0
  return (statement) => {
    const [text] = statement.compile()
    if (/^\s*update/.test(text)) updates++
    return updates >= update ? Effect.die(new Error("connection lost")) : Effect.succeed(statement)
  }
}

layer(TestDatabase, { excludeTestServices: true })("admin rotate-secrets", (it) => {
  it.effect("can be interrupted and resumed until the new key alone reads everything", () =>
    Effect.gen(function* () {
      const count = yield* fill
      expect(count).toBeGreaterThan(105)

      const keysMissing = yield* rotate(newKey)
      expect(keysMissing.succeeded).toBe(false)
      expect(keysMissing.errors).toEqual([
        expect.stringContaining(`${count} could not be decrypted and remain unchanged: `)
      ])
      expect(yield* countCurrent).toBe(0)

      const interrupted = yield* rotate(`${newKey},${oldKey}`, { statements: losingTheDatabaseAt(120) })
      expect(interrupted).toMatchObject({ succeeded: false, errors: ["Unexpected error: connection lost"] })
      const done = yield* countCurrent
      expect(done).toBeGreaterThan(0)

      const resumed = yield* rotate(`${newKey},${oldKey}`)
      expect(resumed).toMatchObject({ succeeded: true, errors: [] })
      expect(resumed.output).toContain(
        `Re-encrypted ${count - done} secrets with the first SECRETS_KEY; ${done} already used it.`
      )
      yield* everythingReadable

      expect((yield* rotate(newKey)).output).toContain(`Re-encrypted 0 secrets with the first SECRETS_KEY; ${count}`)
    })
  )
})
