import { Duration, Effect } from "effect"
import { StoreAway } from "../platform/BlobTrouble.ts"

/** How often progress is checked during the time that a stall may last. */
const looks = 10

/**
 * Fails when nothing of a file has been taken for a while, and never ends otherwise: an upload that makes progress on a
 * slow line may take as long as it needs.
 */
export const untilStalled = (file: { readonly bytesRead: number }, stalled: Duration.Duration) =>
  Effect.gen(function* () {
    let taken = file.bytesRead
    for (let quiet = 0; quiet < looks; quiet++) {
      yield* Effect.sleep(Duration.times(stalled, 1 / looks))
      if (file.bytesRead !== taken) quiet = -1
      taken = file.bytesRead
    }
    const message = `The file store accepted no data and did not respond for ${Duration.format(stalled)}`
    return yield* Effect.die(new StoreAway({ message }))
  })
