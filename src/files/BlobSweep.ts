import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { onOneNode } from "../platform/queue/Periodically.ts"
import { blobRemoval } from "./BlobRemoval.ts"
import { Blobs } from "./Blobs.ts"

/** Lets a slow download, or a document being made, finish reading a file that has just been deleted. */
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
          return new RunAgain({ pauseSeconds: Math.ceil(Duration.toSeconds(left)) })
        return yield* removeUnused(customerID, blobID)
      })
    )
  })
)

const Sweep = Layer.scopedDiscard(Effect.flatMap(Blobs, ({ sweep }) => onOneNode("sweeping blobs", 60, sweep)))

/** Removes bytes that nothing refers to: minutes after a known deletion, and all others with an hourly sweep. */
export const BlobSweep = Layer.merge(Removal, Sweep)
