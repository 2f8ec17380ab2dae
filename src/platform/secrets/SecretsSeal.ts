import { SqlClient } from "@effect/sql"
import { ConfigError, Effect, Exit, Layer, Option } from "effect"
import type { Database } from "../database/Database.ts"
import { encryptedColumns } from "../database/EncryptedColumns.ts"
import { noteAnew, noted, noteFirst } from "../database/Installation.ts"
import { Secrets } from "./Secrets.ts"

const name = "secrets key"

const place = { table: "installation", column: "value", customerID: 0 }

const seal = Effect.map(Secrets, (secrets) => secrets.encrypt(place, name))

/** Replaces the database's seal: from then on a start needs the first of the present keys. */
export const sealAnew = Effect.flatMap(seal, (sealed) => noteAnew(name, sealed))

/** One value for each key that was used for encryption, in a database without a seal. */
const oneOfEachKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* Effect.forEach(
    encryptedColumns,
    ({ column, table }) => sql<{ stored: string }>`
      /* all customers: the key is the whole service's */
      select min(${sql(column)}) as stored from ${sql(table)}
      where ${sql(column)} is not null group by split_part(${sql(column)}, '.', 1)`
  )
  return found.flat().map(({ stored }) => stored)
})

const refused = Effect.fail(
  ConfigError.InvalidData(
    ["SECRETS_KEY"],
    "SECRETS_KEY does not list the key that this database's secrets are encrypted with. " +
      "Start with that key; if it is lost, run `npm run admin -- rotate-secrets --key-lost` first"
  )
)

/**
 * Refuses to start with another key, which could read no stored secret and would write secrets that other nodes cannot
 * read. The first start leaves a seal that only its key opens.
 */
const checkKey = Effect.gen(function* () {
  const secrets = yield* Secrets
  if (Option.isNone(yield* noted(name))) {
    // The database is older than the seal. Some of its secrets may already be lost with an older key.
    const stored = yield* oneOfEachKey
    if (stored.length > 0 && !stored.some(secrets.knowsKeyOf)) return yield* refused
  }
  const sealed = yield* noteFirst(name, yield* seal)
  if (Exit.isFailure(yield* Effect.exit(secrets.decrypt(place, sealed)))) return yield* refused
})

/** Fails unless the secrets of the database can be read. */
export const withItsKey = <E, R>(database: Layer.Layer<Database, E, R>) =>
  Layer.tap(database, (context) => checkKey.pipe(Effect.provide(Secrets.layer), Effect.provide(context)))
