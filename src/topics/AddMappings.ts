import { Effect } from "effect"
import { type BadRequest, Conflict } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import type { Target } from "../../schema/MappingTarget.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences } from "../platform/database/OwnReferences.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { referencesOf, targetKey } from "./MappingTarget.ts"

/** Either an action that a topic or hook triggers, or a document that it adds. */
interface Mapping extends Target {
  readonly actionID?: number
  readonly documentID?: number
}

const keyOf = (mapping: Mapping) => [targetKey(mapping), mapping.actionID, mapping.documentID].join(" ")

/** The index of the first mapping that existed before, or that occurs earlier in the same list. */
const firstLeftOut = (wanted: ReadonlyArray<Mapping>, stored: ReadonlyArray<Mapping>) => {
  const fresh = new Set(stored.map(keyOf))
  return wanted.findIndex((mapping) => !fresh.delete(keyOf(mapping)))
}

interface Add<Fields, Row> {
  readonly one: (customerID: CustomerID, mapping: Fields) => Effect.Effect<Row, BadRequest | Conflict>
  /** Adds all or none; the rows are returned in the order of the list. */
  readonly all: (
    customerID: CustomerID,
    mappings: ReadonlyArray<Fields>
  ) => Effect.Effect<ReadonlyArray<Row>, BadRequest | Conflict>
}

/** Adds mappings with an insert that skips existing ones; ids of other customers and duplicates are refused. */
export const makeAddMappings = <Fields extends Mapping, Row extends Mapping>(
  insertNew: (customerID: CustomerID, mappings: ReadonlyArray<Fields>) => Effect.Effect<ReadonlyArray<Row>>
) =>
  Effect.gen(function* () {
    const inTransaction = yield* InTransaction
    const checkOwnReferences = yield* makeCheckOwnReferences

    const add = fn("AddMappings.add")(function* (
      customerID: CustomerID,
      mappings: ReadonlyArray<Fields>,
      place: (index: number) => string
    ) {
      yield* checkOwnReferences(
        customerID,
        mappings.flatMap((mapping, index) => referencesOf(mapping, place(index)))
      )
      const rows = yield* insertNew(customerID, mappings)
      if (rows.length === mappings.length) return rows
      const at = place(firstLeftOut(mappings, rows)).replace(".", "")
      return yield* Conflict.of(`This mapping already exists${at === "" ? "" : ` (item ${at}, counted from 0)`}.`)
    }, inTransaction)

    const result: Add<Fields, Row> = {
      one: (customerID, mapping) =>
        add(customerID, [mapping], () => "").pipe(Effect.head, Effect.catchTag("NoSuchElementException", Effect.die)),
      all: (customerID, mappings) => add(customerID, mappings, (index) => `${index}.`)
    }
    return result
  })
