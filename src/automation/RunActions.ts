import { Effect, Layer } from "effect"
import { runActions } from "../events/AutomationJobs.ts"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ActionRunner } from "./ActionRunner.ts"

/** Runs the actions that an event or a person started. */
export const RunActionsJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const runner = yield* ActionRunner
    yield* jobs.handle(
      runActions,
      fn("RunActions.run")(function* (customerID, request, claim) {
        if (!(yield* runner.hasActions(customerID, request))) return undefined
        const progress = yield* runner.run(customerID, request, claim)
        return progress._tag === "Waits" ? new RunAgain({ pauseSeconds: progress.seconds }) : undefined
      }),
      runner.giveUp
    )
  })
)
