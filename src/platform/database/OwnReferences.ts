import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { BadRequest } from "../../../schema/Errors.ts"
import type { CustomerID } from "../../../schema/Ids.ts"
import { fn } from "../telemetry/Fn.ts"

const kinds = {
  topic: { key: "topic_id", plural: "topics", alive: "" },
  action: { key: "action_id", plural: "actions", alive: "" },
  document: { key: "document_id", plural: "documents", alive: "" },
  channel: { key: "channel_id", plural: "channels", alive: "and deleted_at is null" },
  customer_rep: { key: "customer_rep_id", plural: "representatives", alive: "and deleted_at is null" },
  end_user: { key: "end_user_id", plural: "end users", alive: "" }
} as const

type Kind = keyof typeof kinds

const allKinds: ReadonlyArray<Kind> = ["topic", "action", "document", "channel", "customer_rep", "end_user"]

/** An id in a request body, and its path there. */
export interface Reference {
  readonly kind: Kind
  readonly path: string
  readonly id: number
}

/** Returns the references that a change adds: existing ones may stay, even if their rows have been deleted since. */
export const newReferences = (had: ReadonlyArray<Reference>, wanted: ReadonlyArray<Reference>) =>
  wanted.filter(({ id, path }) => !had.some((other) => other.path === path && other.id === id))

const decodeIds = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Schema.Int })))

/**
 * Fails with 400, listing every id that is not one of the customer's after the problems already found. The rows of all
 * other ids are locked against deletion until the transaction ends.
 */
export const makeCheckOwnReferences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const ownIds = (customerID: CustomerID, kind: Kind, ids: ReadonlyArray<number>) => {
    const { alive, key } = kinds[kind]
    return sql`
      select ${sql(key)} as id from ${sql(kind)}
      where customer_id = ${customerID} and ${sql(key)} = any(${[...new Set(ids)]}::int[]) ${sql.literal(alive)}
      order by ${sql(key)} for share`.pipe(
      Effect.flatMap(decodeIds),
      Effect.map((rows) => new Set(rows.map(({ id }) => id))),
      Effect.orDie
    )
  }

  return fn("OwnReferences.check")(function* (
    customerID: CustomerID,
    references: ReadonlyArray<Reference>,
    found: ReadonlyArray<{ readonly path: string; readonly message: string }> = []
  ) {
    const foreign = new Set<Reference>()
    for (const kind of allKinds) {
      const ofKind = references.filter((reference) => reference.kind === kind)
      if (ofKind.length === 0) continue
      const own = yield* ownIds(
        customerID,
        kind,
        ofKind.map(({ id }) => id)
      )
      for (const reference of ofKind) if (!own.has(reference.id)) foreign.add(reference)
    }
    const problems = references
      .filter((reference) => foreign.has(reference) && !found.some(({ path }) => path === reference.path))
      .map(({ kind, path }) => ({ path, message: `is not one of your ${kinds[kind].plural}` }))
    const all = [...found, ...problems]
    if (all.length > 0) return yield* Effect.fail(BadRequest.listing(all))
  })
})
