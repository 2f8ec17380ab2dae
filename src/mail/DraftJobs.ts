import { Duration, Effect, Layer, Option } from "effect"
import type { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { comeBackAfter } from "../platform/queue/Patience.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { Mailboxes } from "./Mailboxes.ts"
import { MailGraph, MailProblem } from "./MailGraph.ts"
import { removeDraft } from "./MailJobs.ts"
import { SentMailsRepo } from "./SentMailsRepo.ts"

// After this long a send request has ended, and the provider shows whether the mail has left.
const sendingLasts = Duration.toSeconds("10 minutes")

// Whatever kept the answer from leaving may keep its draft in the mailbox as well, until somebody fixes it.
const patience = { lasts: "7 days", longestPause: "6 hours" } as const

/** Removes drafts of answers that will not be sent. */
export const DraftJobs = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const repo = yield* SentMailsRepo
    const channels = yield* ChannelsRepo
    const mailboxes = yield* Mailboxes
    const graph = yield* MailGraph

    const remove = fn("DraftJobs.remove")(function* (customerID: CustomerID, channelID: ChannelID, draftID: string) {
      const channel = yield* channels.findEvenDeleted(customerID, channelID)
      if (Option.isNone(channel)) return
      yield* graph.removeDraft(yield* mailboxes.of(customerID, channel.value), draftID)
    })

    yield* jobs.handle(
      removeDraft,
      fn("DraftJobs.run")(function* (customerID, { channelID, draftID }, { ageSeconds }) {
        const sentAgo = yield* repo.secondsSinceSending(customerID, channelID, draftID)
        if (Option.exists(sentAgo, (seconds) => seconds < sendingLasts)) return new RunAgain({ pauseSeconds: 60 })
        return yield* remove(customerID, channelID, draftID).pipe(
          Effect.catchAll((problem) => {
            const retryAfterSeconds = problem instanceof MailProblem ? problem.retryAfterSeconds : undefined
            const again = comeBackAfter(ageSeconds, { isAway: true, retryAfterSeconds }, patience)
            return again === undefined
              ? Effect.fail(problem)
              : Effect.as(Effect.logWarning("a draft could not be removed from the mailbox", problem), again)
          })
        )
      })
    )
  })
)
