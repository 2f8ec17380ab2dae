import { Cause, Context, Effect, Layer, Option, Schema } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { Operation } from "../../schema/Operations.ts"
import { interruptedCall } from "../documents/RetrievalRequest.ts"
import type { RunRequest } from "../events/AutomationJobs.ts"
import { CurrentChain } from "../events/Chain.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { startsOver } from "../platform/database/RepeatedTransactions.ts"
import { catchBreakage, type JobClaim } from "../platform/queue/JobClaim.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { DraftCallsRepo } from "../ticketMessages/DraftCallsRepo.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { ActionEffects, type Effective, isTransactional, NotDone } from "./ActionEffects.ts"
import { type ActionPlan, planActions } from "./ActionPlan.ts"
import { MappedActionsRepo } from "./MappedActionsRepo.ts"
import { type Run, RunsRepo, type Step } from "./RunsRepo.ts"
import { makeStepChecks } from "./StepChecks.ts"
import { TargetsRepo } from "./TargetsRepo.ts"

/** A run has finished, or continues after this many seconds. */
export type Progress = { readonly _tag: "Finished" } | { readonly _tag: "Waits"; readonly seconds: number }

/** Runs actions one after another, each once, whatever happens to the node in between. */
export class ActionRunner extends Context.Tag("casework/ActionRunner")<
  ActionRunner,
  {
    /** What a hook would run on a channel, without running it. */
    readonly explain: (
      customerID: CustomerID,
      hookName: string,
      channel: { readonly channelID: ChannelID; readonly channelType: ChannelType }
    ) => Effect.Effect<ActionPlan>
    /** Whether there is anything to run for this reason. */
    readonly hasActions: (customerID: CustomerID, request: RunRequest) => Effect.Effect<boolean>
    /** Starts the run for this reason, or resumes it. */
    readonly run: (customerID: CustomerID, request: RunRequest, claim: JobClaim) => Effect.Effect<Progress>
    /** Records on the remaining actions that they will not be run any more. */
    readonly giveUp: (
      customerID: CustomerID,
      request: RunRequest,
      claim: JobClaim,
      reason: string
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    ActionRunner,
    Effect.suspend(() => make)
  )
}

const finished: Progress = { _tag: "Finished" }

const decodeOperation = Schema.decodeUnknownOption(Operation)

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const mapped = yield* MappedActionsRepo
  const { mappedTo, whyNotAnyMore } = yield* makeStepChecks
  const runs = yield* RunsRepo
  const targets = yield* TargetsRepo
  const effects = yield* ActionEffects
  const tickets = yield* TicketsRepo
  const draftCalls = yield* DraftCallsRepo

  const plan = fn("ActionRunner.plan")(function* (customerID: CustomerID, request: RunRequest) {
    const { parentRunID } = request
    const parent = parentRunID === null ? Option.none() : yield* runs.findChain(customerID, parentRunID)
    const chain = Option.isNone(parent)
      ? undefined
      : { earlier: yield* runs.actionsOf(customerID, parent.value.firstRunID), depth: parent.value.depth + 1 }
    const channel = yield* targets.findChannel(customerID, request)
    if (Option.isNone(channel)) return { parent, steps: [], skipped: [] }
    const { skipped, steps } = planActions(yield* mappedTo(request, customerID), channel.value, chain)
    return { parent, steps, skipped: skipped.filter(({ isDue }) => isDue) }
  })

  /**
   * The plan is made once; the run keeps to it even if the actions change afterwards. Only actions deleted or switched
   * off before their turn are left out.
   */
  const startRun = fn("ActionRunner.startRun")(function* (
    customerID: CustomerID,
    request: RunRequest,
    claim: JobClaim
  ) {
    yield* claim.confirm
    // Locked before the runs of its chain, in the same order as when the ticket is deleted.
    yield* tickets.lock(customerID, [request.ticketID])
    const known = yield* runs.findByReason(customerID, request.reason)
    if (Option.isSome(known)) return known
    const { parent, ...planned } = yield* plan(customerID, request)
    // Most hooks have no actions, so there is nothing to do and nothing to keep.
    if (planned.steps.length + planned.skipped.length === 0) return Option.none()
    const ticketMessageID =
      request.ticketMessageID ?? Option.getOrNull(yield* targets.findLastInbound(customerID, request.ticketID))
    return Option.some(yield* runs.insert(customerID, { ...request, ticketMessageID }, parent, planned))
  }, inTransaction)

  /** Writes only while this node holds the job, so that no other node works on the same step. */
  const fenced = (claim: JobClaim, write: Effect.Effect<void>) =>
    Effect.zipRight(claim.confirm, write).pipe(inTransaction)

  const finishStep = (customerID: CustomerID, step: Step, result: NotDone | null) =>
    runs.finishStep(customerID, step, result === null ? "Done" : "Failed", result?.message.slice(0, 1000) ?? null)

  const asResult = <R>(effect: Effect.Effect<void, NotDone, R>) =>
    Effect.as(effect, null).pipe(Effect.catchTag("NotDone", Effect.succeed))

  /** The effect and its record are one transaction; when the effect fails, only its own part is rolled back. */
  const together = (customerID: CustomerID, step: Step, claim: JobClaim, effect: Effect.Effect<void, NotDone>) =>
    Effect.gen(function* () {
      yield* claim.confirm
      const result = yield* asResult(inTransaction(effect))
      yield* finishStep(customerID, step, result)
    }).pipe(inTransaction)

  /** Deletes the calls that were kept for another attempt at the draft. */
  const forgetCalls = (customerID: CustomerID, { ticketMessageID }: Run, claim: JobClaim) =>
    ticketMessageID === null ? Effect.void : draftCalls.forget(customerID, ticketMessageID, claim)

  /**
   * For effects that reach outside or wait for a model: recorded before and after, and repeated only where that is
   * harmless.
   */
  const apart = fn("ActionRunner.apart")(function* (
    customerID: CustomerID,
    run: Run,
    step: Step,
    claim: JobClaim,
    isRepeatable: Effect.Effect<boolean>,
    effect: Effect.Effect<void, NotDone>
  ) {
    if (step.status === "Running" && !(yield* isRepeatable)) {
      return yield* fenced(claim, finishStep(customerID, step, new NotDone({ message: interruptedCall })))
    }
    yield* fenced(claim, runs.markRunning(customerID, step))
    const result = yield* asResult(effect)
    const forget = step.operation === "DraftReply" ? forgetCalls(customerID, run, claim) : Effect.void
    yield* fenced(claim, Effect.zipRight(finishStep(customerID, step, result), forget))
  })

  const runStep = fn("ActionRunner.runStep")(function* (customerID: CustomerID, run: Run, step: Step, claim: JobClaim) {
    const decoded = decodeOperation({ operation: step.operation, parameters: step.parameters })
    if (Option.isNone(decoded) || decoded.value.operation === "None") {
      yield* fenced(claim, runs.finishStep(customerID, step, "Skipped", "The action has no operation that can be run."))
      return finished
    }
    const operation = decoded.value
    if (operation.operation === "Wait") {
      if (step.waitSeconds === null) {
        yield* fenced(claim, runs.startWaiting(customerID, step, operation.parameters.seconds))
      }
      const seconds = step.waitSeconds ?? operation.parameters.seconds
      if (seconds > 0) return { _tag: "Waits", seconds } satisfies Progress
      yield* fenced(claim, runs.finishStep(customerID, step, "Done", null))
      return finished
    }
    const target = { customerID, ticketID: run.ticketID, ticketMessageID: run.ticketMessageID }
    const effective: Effective = operation
    const effect = effects.run(target, effective).pipe(
      Effect.provideService(CurrentChain, run),
      // Unexpected failures, such as a lost database connection, are retried; after the last attempt the other steps
      // get their turn.
      catchBreakage((defect) =>
        claim.isLast && !(isTransactional(effective) && startsOver(Cause.die(defect)))
          ? Effect.logError("an action failed unexpectedly", Cause.die(defect)).pipe(
              Effect.zipRight(new NotDone({ message: "It failed unexpectedly; see the log for the reason." }))
            )
          : Effect.die(defect)
      )
    )
    yield* isTransactional(effective)
      ? together(customerID, step, claim, effect)
      : apart(customerID, run, step, claim, effects.isRepeatable(target, effective), effect)
    return finished
  })

  return ActionRunner.of({
    explain: fn("ActionRunner.explain")(function* (customerID, hookName, channel) {
      return planActions(yield* mapped.ofHook(customerID, hookName), channel)
    }),

    hasActions: mapped.hasAny,

    giveUp: fn("ActionRunner.giveUp")(function* (customerID, request, claim, reason) {
      yield* claim.confirm
      yield* tickets.lock(customerID, [request.ticketID])
      const run = yield* runs.findByReason(customerID, request.reason)
      if (Option.isNone(run)) return
      yield* runs.abandon(customerID, run.value, reason)
      yield* forgetCalls(customerID, run.value, claim)
    }, inTransaction),

    run: fn("ActionRunner.run")(function* (customerID, request, claim) {
      const started = yield* startRun(customerID, request, claim)
      if (Option.isNone(started)) return finished
      const run = started.value
      let step = yield* runs.nextStep(customerID, run)
      while (Option.isSome(step)) {
        const notAnyMore = yield* whyNotAnyMore(customerID, request, step.value)
        if (notAnyMore === undefined) {
          const progress = yield* runStep(customerID, run, step.value, claim)
          if (progress._tag === "Waits") return progress
        } else yield* fenced(claim, runs.finishStep(customerID, step.value, "Skipped", notAnyMore))
        step = yield* runs.nextStep(customerID, run)
      }
      yield* runs.finish(customerID, run)
      return finished
    })
  })
})
