import { Cause, Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { MessageStatus } from "../../schema/TicketMessages.ts"
import { FinalFailure } from "../ai/FinalFailure.ts"
import { runPipeline } from "../events/AutomationJobs.ts"
import { Events } from "../events/Events.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { catchBreakage, type JobClaim } from "../platform/queue/JobClaim.ts"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { DraftCallsRepo } from "../ticketMessages/DraftCallsRepo.ts"
import { type StoredMessage, TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { type FinishedStep, PipelineRepo } from "./PipelineRepo.ts"
import { makePipelineSteps, next, type Step, type StepEnd, type StepInput, stop } from "./PipelineSteps.ts"
import { done, failedFor, wanting } from "./StepOutcome.ts"

const failed = (reason: string) => next(failedFor(reason))

const gone = stop(done("The message no longer exists"))

/** What a person has prepared meanwhile can be sent, whatever failed. */
const afterFailure = ({ aiReply }: StoredMessage): MessageStatus => (aiReply === null ? "Failed" : "Drafted")

/**
 * Takes an end user's message from its arrival to a prepared answer. The job is enqueued in the transaction that stores
 * the message. Finished steps are recorded; after a crash, the pipeline resumes at the first unfinished one.
 */
export const PipelineJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const inTransaction = yield* InTransaction
    const jobs = yield* Jobs
    const repo = yield* PipelineRepo
    const messages = yield* TicketMessagesRepo
    const events = yield* Events
    const draftCalls = yield* DraftCallsRepo
    const { endedAsSpam, isAiConfigured, steps } = yield* makePipelineSteps

    const runStep = (input: StepInput, step: Step) =>
      step(input).pipe(
        // What the customer has not set up is skipped. What failed outside is retried later, unless it would fail
        // again.
        Effect.catchTags({
          BadRequest: ({ message }) => Effect.succeed(next(wanting(message))),
          NotFound: () => Effect.succeed(gone),
          Forbidden: () => Effect.succeed(gone),
          BadGateway: (failure) =>
            input.claim.isLast || failure instanceof FinalFailure
              ? Effect.succeed(failed(failure.message))
              : Effect.fail(failure)
        }),
        catchBreakage((defect) =>
          input.claim.isLast
            ? Effect.as(
                Effect.logError("a pipeline step failed unexpectedly", Cause.die(defect)),
                failed("unexpected error, see the log")
              )
            : Effect.die(defect)
        )
      )

    /** Steps that had nothing to do are recorded with the next one that had: alone they are not worth a write. */
    const makeNotes = (customerID: CustomerID, { ticketMessageID }: StoredMessage, claim: JobClaim) => {
      const quiet: Array<FinishedStep> = []
      const flush = Effect.suspend(() => repo.finishSteps(customerID, ticketMessageID, quiet.splice(0), claim))
      return {
        flush,
        add: (step: string, end: Exclude<StepEnd, { readonly _tag: "Later" }>) =>
          Effect.suspend(() => {
            quiet.push({ step, kind: end.kind, outcome: end.outcome })
            return end._tag === "Next" && end.isQuiet === true ? Effect.void : flush
          })
      }
    }

    /** Users wait for the pipeline to end: without a draft, no other event tells them. */
    const endWithout = fn("Pipeline.endWithout")(function* (
      customerID: CustomerID,
      { ticketID, ticketMessageID }: StoredMessage,
      hasFailed: boolean,
      claim: JobClaim
    ) {
      yield* claim.confirm
      const found = yield* messages.findForUpdate(customerID, ticketMessageID)
      if (Option.isNone(found)) return
      const to = hasFailed ? afterFailure(found.value) : "Received"
      yield* repo.setStatus(customerID, ticketMessageID, { from: "Processing", to }, claim)
      yield* events.record(customerID, [{ kind: "MessageChanged", ticketID, ticketMessageID }])
    }, inTransaction)

    yield* jobs.handle(
      runPipeline,
      fn("Pipeline.run")(function* (customerID, { opensTicket, ticketMessageID }, claim) {
        const found = yield* messages.find(customerID, ticketMessageID)
        // A message that turned out to be spam is finished, wherever the node that detected it stopped.
        if (Option.isNone(found) || found.value.status === "Spam") return undefined
        const hasAi = yield* isAiConfigured(customerID)
        const notes = makeNotes(customerID, found.value, claim)
        const input: StepInput = { customerID, message: found.value, opensTicket, claim, hasAi, begin: notes.flush }
        // A message is Processing while it waits for AI; if AI prepares no answer, it returns to its earlier status.
        if (hasAi) {
          yield* repo.setStatus(customerID, ticketMessageID, { from: "Received", to: "Processing" }, claim)
        }
        const finished = yield* repo.finishedSteps(customerID, ticketMessageID)
        if (yield* endedAsSpam(input, finished)) return undefined
        let hasFailed = [...finished.values()].includes("Failed")
        for (const [name, step] of steps) {
          if (finished.has(name)) continue
          const end = yield* runStep(input, step)
          if (end._tag === "Later") return yield* Effect.as(notes.flush, new RunAgain({ pauseSeconds: end.seconds }))
          yield* notes.add(name, end)
          if (end._tag === "Stop") break
          if (end.kind === "Failed") hasFailed = true
        }
        yield* notes.flush
        const left = yield* messages.find(customerID, ticketMessageID)
        if (Option.exists(left, ({ status }) => status === "Processing")) {
          yield* endWithout(customerID, found.value, hasFailed, claim)
        }
        return undefined
      }),
      fn("Pipeline.giveUp")(function* (customerID, { ticketMessageID }, claim, reason) {
        yield* claim.confirm
        const found = yield* messages.findForUpdate(customerID, ticketMessageID)
        if (Option.isNone(found)) return
        const step = { step: "Given up", ...failedFor(reason) }
        yield* repo.finishSteps(customerID, ticketMessageID, [step], claim)
        yield* draftCalls.forget(customerID, ticketMessageID, claim)
        const to = afterFailure(found.value)
        yield* repo.setStatus(customerID, ticketMessageID, { from: "Processing", to }, claim)
        yield* repo.setStatus(customerID, ticketMessageID, { from: "Received", to }, claim)
        const { ticketID } = found.value
        yield* events.record(customerID, [{ kind: "MessageChanged", ticketID, ticketMessageID }])
      }, inTransaction)
    )
  })
)
