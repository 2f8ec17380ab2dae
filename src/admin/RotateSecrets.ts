import { Effect, Exit } from "effect"
import { type EncryptedColumn, encryptedColumns } from "../platform/database/EncryptedColumns.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { sealAnew } from "../platform/secrets/SecretsSeal.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type EncryptedRow, makeEncryptedRowsRepo } from "./EncryptedRowsRepo.ts"

interface Outcome {
  readonly id: number
  readonly outcome: "current" | "unreadable" | "changed"
}

interface Rotated {
  readonly changed: number
  readonly current: number
  /** Rows encrypted with a key that SECRETS_KEY does not list; they stay as they are. */
  readonly unreadable: ReadonlyArray<string>
}

const rotateColumn = fn("RotateSecrets.column")(function* (place: EncryptedColumn) {
  const inTransaction = yield* InTransaction
  const secrets = yield* Secrets
  const { next, replace } = yield* makeEncryptedRowsRepo(place)

  const rotateRow = Effect.fnUntraced(function* (row: EncryptedRow) {
    if (secrets.isCurrent(row.stored)) return "current" as const
    const bound = { table: place.table, column: place.column, customerID: row.customerID }
    const plain = yield* Effect.exit(secrets.decrypt(bound, row.stored))
    if (Exit.isFailure(plain)) return "unreadable" as const
    yield* replace({ ...row, sealed: secrets.encrypt(bound, plain.value) })
    return "changed" as const
  })

  const outcomes: Array<Outcome> = []
  for (let rows = yield* next(0); rows.length > 0; rows = yield* next(rows.at(-1)?.id ?? 0)) {
    const batch = Effect.forEach(rows, (row) => Effect.map(rotateRow(row), (outcome) => ({ outcome, id: row.id })))
    outcomes.push(...(yield* inTransaction(batch)))
  }
  return {
    changed: outcomes.filter(({ outcome }) => outcome === "changed").length,
    current: outcomes.filter(({ outcome }) => outcome === "current").length,
    unreadable: outcomes
      .filter(({ outcome }) => outcome === "unreadable")
      .map(({ id }) => `${place.table}.${place.column} of ${id}`)
  }
})

/**
 * Re-encrypts every secret with the first SECRETS_KEY. A batch is one transaction and finished rows are skipped, so it
 * can be stopped and restarted at any time. The seal checked at startup is renewed last, and only if no secret would be
 * lost with the old keys, or if the operator has said that they are lost.
 */
export const rotateSecrets = (isLost: boolean) =>
  Effect.forEach(encryptedColumns, rotateColumn).pipe(
    Effect.map(
      (columns): Rotated => ({
        changed: columns.reduce((sum, column) => sum + column.changed, 0),
        current: columns.reduce((sum, column) => sum + column.current, 0),
        unreadable: columns.flatMap((column) => column.unreadable)
      })
    ),
    Effect.tap(({ unreadable }) => Effect.when(sealAnew, () => isLost || unreadable.length === 0)),
    Effect.orDie
  )
