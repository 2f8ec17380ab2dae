import { Effect, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { clip } from "../ai/Clip.ts"
import { longestDocument } from "../ai/prompts/Draft.ts"
import { interruptedCall } from "../documents/RetrievalRequest.ts"
import { CurrentClaim } from "../platform/queue/JobClaim.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type Called, type DraftCall, DraftCallsRepo } from "./DraftCallsRepo.ts"

/**
 * Makes a call once for all attempts at a draft: it is recorded before it is sent, and its result is kept until the
 * draft is finished. A call that was begun and has no result may have got through, so it is not repeated.
 */
export const makeCallOnce = Effect.map(DraftCallsRepo, (calls) =>
  fn("CallOnce.call")(function* (customerID: CustomerID, call: DraftCall, made: Effect.Effect<Called>) {
    const claim = yield* CurrentClaim
    // An HTTP request, unlike a job, has no second attempt.
    if (claim === null) return yield* made
    const earlier = yield* calls.find(customerID, call, claim)
    if (Option.isSome(earlier)) {
      if (Option.isSome(earlier.value.result)) return earlier.value.result.value
      yield* Effect.logWarning("a call for a draft was interrupted and is not repeated").pipe(
        Effect.annotateLogs({ customerID, ...call })
      )
      return { content: "", error: interruptedCall }
    }
    yield* calls.begin(customerID, call, claim)
    const { content, error } = yield* made
    const result = { content: clip(content, longestDocument), error }
    yield* calls.finish(customerID, call, result, claim)
    return result
  })
)
