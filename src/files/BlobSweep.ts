import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { Again } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { onOneNode } from "../platform/queue/Periodically.ts"
import { blobRemoval } from "./BlobRemoval.ts"
import { Blobs } from "./Blobs.ts"

/** Whoever is just reading what was deleted, a slow download or a document that is being made, gets to its end. */
export class RemovalTiming extends Context.Reference<RemovalTiming>()("casework/RemovalTiming", {
  defaultValue: () => ({ after: Duration.minutes(5) })
}) {}

const Removal = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const { removeUnused } = yield* Blobs
    const { after } = yield* RemovalTiming
    yield* jobs.handle(blobRemoval, (customerID, { blobID, discardedAt }) =>
      Effect.gen(function* () {
        const age = discardedAt === undefined ? after : DateTime.distanceDuration(discardedAt, yield* DateTime.now)
        const left = Duration.subtract(after, age)
        if (Duration.greaterThan(left, Duration.zero))
          return new Again({ pauseSeconds: Math.ceil(Duration.toSeconds(left)) })
        return yield* removeUnused(customerID, blobID)
      })
    )
  })
)

const Sweep = Layer.scopedDiscard(Effect.flatMap(Blobs, ({ sweep }) => onOneNode("sweeping blobs", 60, sweep)))

/** Removes the bytes that nothing refers to: after minutes when that is known, and all others within the hour. */
export const BlobSweep = Layer.merge(Removal, Sweep)
