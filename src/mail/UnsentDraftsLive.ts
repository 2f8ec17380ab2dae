import { Effect, Layer } from "effect"
import { UnsentDrafts } from "../delivery/UnsentDrafts.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { draftKey, removeDraft } from "./MailJobs.ts"
import { SentMailsRepo } from "./SentMailsRepo.ts"

/** A job removes the drafts from the mailbox: the provider may be unavailable. */
export const UnsentDraftsLive = Layer.effect(
  UnsentDrafts,
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const repo = yield* SentMailsRepo
    return {
      withdraw: fn("UnsentDrafts.withdraw")(function* (customerID, unsent) {
        const drafts = yield* repo.draftsOf(customerID, unsent)
        yield* jobs.enqueueAll(
          removeDraft,
          drafts.map((payload) => ({ customerID, payload, key: draftKey(payload) }))
        )
      })
    }
  })
)
