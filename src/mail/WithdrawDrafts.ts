import { Effect } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { draftKey, removeDraft } from "./MailJobs.ts"
import { SentMailsRepo, type Unsent } from "./SentMailsRepo.ts"

/**
 * Takes the drafts of answers that nobody will send any more out of the mailbox, where somebody might send them by
 * accident. Belongs into the transaction of the cause, which holds their tickets, and before they are deleted.
 */
export const makeWithdrawDrafts = Effect.gen(function* () {
  const jobs = yield* Jobs
  const repo = yield* SentMailsRepo
  return fn("WithdrawDrafts.of")(function* (customerID: CustomerID, unsent: Unsent) {
    const drafts = yield* repo.draftsOf(customerID, unsent)
    yield* jobs.enqueueAll(
      removeDraft,
      drafts.map((payload) => ({ customerID, payload, key: draftKey(payload) }))
    )
  })
})
