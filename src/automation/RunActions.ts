import { Effect, Layer, Option } from "effect"
import { Again } from "../platform/JobRun.ts"
import { Jobs } from "../platform/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ActionRunner } from "./ActionRunner.ts"
import { runActions } from "./AutomationJobs.ts"
import { TargetsRepo } from "./TargetsRepo.ts"

/** The actions that an event, or a person, set going. */
export const RunActionsJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const runner = yield* ActionRunner
    const targets = yield* TargetsRepo
    yield* jobs.handle(
      runActions,
      fn("RunActions.run")(function* (customerID, request, claim) {
        const ticketMessageID =
          request.ticketMessageID ?? Option.getOrNull(yield* targets.findLastInbound(customerID, request.ticketID))
        const wanted = { ...request, ticketMessageID }
        if (!(yield* runner.hasActions(customerID, wanted))) return undefined
        const progress = yield* runner.run(customerID, wanted, claim)
        return progress._tag === "Waits" ? new Again({ pauseSeconds: progress.seconds }) : undefined
      }),
      runner.giveUp
    )
  })
)
