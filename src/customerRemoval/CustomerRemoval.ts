import { Context, Duration, Effect, Layer } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { Blobs } from "../files/Blobs.ts"
import { LeftSubscriptions } from "../mail/LeftSubscriptions.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { CustomerRemovalRepo } from "./CustomerRemovalRepo.ts"
import { type BlobTable, type CustomerTable, customerTables, isBlobTable } from "./CustomerTables.ts"

/** `lettingGo` is long enough for every node to end the customer's tokens, connections and running jobs. */
export class CustomerRemovalTiming extends Context.Reference<CustomerRemovalTiming>()(
  "casework/CustomerRemovalTiming",
  {
    defaultValue: () => ({ lettingGo: Duration.seconds(10) })
  }
) {}

interface Removed {
  /** The number of removed rows by table. */
  readonly counts: ReadonlyMap<CustomerTable, number>
  readonly subscriptions: { readonly ended: number; readonly left: number }
}

/** Removes an organisation and everything stored about it. An interrupted removal continues when run again. */
export class CustomerRemoval extends Context.Tag("casework/CustomerRemoval")<
  CustomerRemoval,
  { readonly remove: (customerID: CustomerID) => Effect.Effect<Removed> }
>() {
  static readonly layer = Layer.effect(
    CustomerRemoval,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const repo = yield* CustomerRemovalRepo
  const blobs = yield* Blobs
  const subscriptions = yield* LeftSubscriptions
  const { lettingGo } = yield* CustomerRemovalTiming

  const removeRows = fn("CustomerRemoval.removeRows")(function* (customerID: CustomerID, table: CustomerTable) {
    let count = 0
    for (let some = -1; some !== 0; count += some) some = yield* repo.deleteSome(customerID, table)
    return count
  })

  /** Removes the bytes together with the row, so that bytes that the store fails to remove now can still be found. */
  const removeFiles = fn("CustomerRemoval.removeFiles")(function* (customerID: CustomerID, table: BlobTable) {
    let count = 0
    for (
      let some = yield* repo.listBlobs(customerID, table);
      some.length > 0;
      some = yield* repo.listBlobs(customerID, table, some.at(-1))
    ) {
      yield* Effect.forEach(some, (blobID) => blobs.removeUnused(customerID, blobID), { concurrency: 8 })
      count += some.length
    }
    return count
  })

  const empty = (customerID: CustomerID, table: CustomerTable) =>
    isBlobTable(table) ? removeFiles(customerID, table) : removeRows(customerID, table)

  return CustomerRemoval.of({
    remove: fn("CustomerRemoval.remove")(function* (customerID) {
      yield* repo.shut(customerID)
      yield* Effect.sleep(lettingGo)
      const ended = yield* subscriptions.end(customerID)
      const counts = new Map<CustomerTable, number>()
      // Repeats if something was written in between.
      do {
        for (const table of customerTables) {
          counts.set(table, (counts.get(table) ?? 0) + (yield* empty(customerID, table)))
        }
      } while (!(yield* repo.finish(customerID)))
      return { counts, subscriptions: ended }
    })
  })
})
