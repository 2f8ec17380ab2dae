import { Cause, Effect, Layer } from "effect"
import { isDatabaseAway } from "../platform/database/DatabaseAway.ts"
import { makeGlance, takesChanges } from "../platform/database/Glance.ts"
import { sampleBy } from "../platform/telemetry/Sampling.ts"
import { databaseUp, jobsOldest, jobsWaiting, mailsSetAside } from "../platform/telemetry/ServiceMetrics.ts"
import { makeWaitingWorkRepo } from "./WaitingWorkRepo.ts"

const isTooSlow = (cause: Cause.Cause<unknown>) => [...Cause.failures(cause)].some(Cause.isTimeoutException)

/** Samples what waits in the database, the same on whichever node. */
export const WorkSamples = Layer.scopedDiscard(
  Effect.gen(function* () {
    const repo = yield* makeWaitingWorkRepo
    const kinds = new Set<string>()

    const look = Effect.gen(function* () {
      // A database that cannot even answer this is down, for whatever reason.
      const isUp = yield* Effect.tapError(takesChanges, () => Effect.sync(() => databaseUp.set(0)))
      databaseUp.set(isUp ? 1 : 0)
      const queue = yield* repo.jobs
      const mails = yield* repo.setAsideMails
      for (const { kind } of queue) kinds.add(kind)
      for (const kind of kinds) {
        const found = queue.find((waiting) => waiting.kind === kind)
        jobsWaiting.set(found?.waiting ?? 0, { kind })
        jobsOldest.set(Math.max(0, found?.oldest ?? 0), { kind })
      }
      mailsSetAside.set(mails)
    })

    yield* sampleBy(
      (yield* makeGlance(look)).pipe(
        Effect.withTracerEnabled(false),
        // While the database is away, the metric that says so is the one to look at. Any other failure is logged.
        Effect.catchAllCause((cause) =>
          isDatabaseAway(cause) || isTooSlow(cause)
            ? Effect.sync(() => databaseUp.set(0))
            : Effect.logWarning("could not count waiting jobs and mails", cause)
        )
      )
    )
  })
)
