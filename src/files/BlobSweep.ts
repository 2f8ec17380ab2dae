import { Effect, Layer } from "effect"
import { hourly } from "../platform/Hourly.ts"
import { Jobs } from "../platform/Jobs.ts"
import { Blobs, blobRemoval } from "./Blobs.ts"

const Removal = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const { removeUnused } = yield* Blobs
    yield* jobs.handle(blobRemoval, (customerID, { blobID }) => removeUnused(customerID, blobID))
  })
)

const Sweep = hourly(
  "sweeping blobs",
  Effect.flatMap(Blobs, ({ sweep }) => sweep)
)

/** Removes the bytes that nothing refers to: at once when that is known, and all others within the hour. */
export const BlobSweep = Layer.merge(Removal, Sweep)
