import type { SqlError } from "@effect/sql"
import { Effect, Option } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { BadGateway, BadRequest, Forbidden, NotFound } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { AiProvider } from "../ai/AiProvider.ts"
import { LanguageOf } from "../ai/LanguageOf.ts"
import { SpamCheck } from "../ai/SpamCheck.ts"
import { type RunRequest, runActions } from "../events/AutomationJobs.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { DraftReplies } from "../ticketMessages/DraftReplies.ts"
import { MessageTopicsRepo } from "../ticketMessages/MessageTopicsRepo.ts"
import { type StoredMessage, TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { TopicDetections } from "../ticketMessages/TopicDetections.ts"
import { TicketChanges } from "../tickets/TicketChanges.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { ActionRunner } from "./ActionRunner.ts"
import { draftStep, PipelineRepo, topicStep } from "./PipelineRepo.ts"
import { done, isSpam, noTopics, notForThisMessage, type StepOutcome, ticketIsSpam, wanting } from "./StepOutcome.ts"

/**
 * Where the pipeline goes after a step: on to the next (quietly when it had nothing to do), to its end, or to the same
 * step again later.
 */
export type StepEnd =
  | (StepOutcome & { readonly _tag: "Next"; readonly isQuiet?: true })
  | (StepOutcome & { readonly _tag: "Stop" })
  | { readonly _tag: "Later"; readonly seconds: number }

export interface StepInput {
  readonly customerID: CustomerID
  readonly message: StoredMessage
  /** Whether the ticket was created for this message. */
  readonly opensTicket: boolean
  readonly claim: JobClaim
  /** Without AI, the AI steps are skipped. */
  readonly hasAi: boolean
  /** Runs before a step does anything: the quiet steps so far are recorded first. */
  readonly begin: Effect.Effect<void>
}

type AiFailure = BadRequest | NotFound | Forbidden | BadGateway

export type Step = (input: StepInput) => Effect.Effect<StepEnd, AiFailure>

export const next = (ended: StepOutcome): StepEnd => ({ _tag: "Next", ...ended })
const quietly = (ended: StepOutcome): StepEnd => ({ _tag: "Next", ...ended, isQuiet: true })
export const stop = (ended: StepOutcome): StepEnd => ({ _tag: "Stop", ...ended })

const answeredAlready = done("Already answered")
const started = done("Started")
const withoutAi = Effect.succeed(quietly(wanting("no AI is configured")))

const spamStep = "Spam check"

/** The steps in order. Each first checks whether its effect already exists, and does not repeat it. */
export const makePipelineSteps = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const ai = yield* AiProvider
  const runner = yield* ActionRunner
  const repo = yield* PipelineRepo
  const jobs = yield* Jobs
  const messages = yield* TicketMessagesRepo
  const tickets = yield* TicketsRepo
  const changes = yield* TicketChanges
  const topics = yield* MessageTopicsRepo
  const spamCheck = yield* SpamCheck
  const languageOf = yield* LanguageOf
  const detections = yield* TopicDetections
  const drafts = yield* DraftReplies

  const requestFor = ({ message }: StepInput, hookName: string | null): RunRequest => ({
    reason: `message ${message.ticketMessageID} ${hookName ?? "topics"}`,
    hookName,
    ticketID: message.ticketID,
    ticketMessageID: message.ticketMessageID,
    parentRunID: null
  })

  const runHook = fn("Pipeline.runHook")(function* (
    input: StepInput,
    hookName: string | null
  ): Effect.fn.Return<StepEnd> {
    const request = requestFor(input, hookName)
    if (!(yield* runner.hasActions(input.customerID, request))) return quietly(done("Done"))
    yield* input.begin
    const progress = yield* runner.run(input.customerID, request, input.claim)
    return progress._tag === "Waits" ? { _tag: "Later", seconds: progress.seconds } : next(done("Done"))
  })

  const hook = (hookName: string, isWanted: (input: StepInput) => Effect.Effect<boolean>): Step =>
    fn(`Pipeline.${hookName}`)(function* (input) {
      return (yield* isWanted(input)) ? yield* runHook(input, hookName) : quietly(notForThisMessage)
    })

  /** Greeting a caller may take a while; the message does not wait for it. */
  const hookBeside = (hookName: string, channelType: ChannelType): Step =>
    fn(`Pipeline.${hookName}`)(function* (input) {
      const { claim, customerID, message, opensTicket } = input
      if (!opensTicket || message.channelType !== channelType) return quietly(notForThisMessage)
      yield* input.begin
      yield* jobs
        .enqueue(runActions, customerID, requestFor(input, hookName))
        .pipe(
          Effect.zipRight(
            repo.finishSteps(customerID, message.ticketMessageID, [{ step: hookName, ...started }], claim)
          ),
          inTransaction
        )
      return next(started)
    })

  const always = () => Effect.succeed(true)
  const isNewTicket = ({ opensTicket }: StepInput) => Effect.succeed(opensTicket)
  const hasTopics = ({ customerID, message }: StepInput) =>
    Effect.map(topics.list(customerID, message.ticketMessageID), (found) => found.length > 0)
  const hasDraft = ({ customerID, message }: StepInput) =>
    Effect.map(
      messages.find(customerID, message.ticketMessageID),
      Option.exists(({ aiReply }) => aiReply !== null)
    )

  const isInSpam = ({ customerID, message }: StepInput) =>
    Effect.map(
      tickets.find(customerID, message.ticketID),
      Option.exists(({ isSpam }) => isSpam)
    )

  /** A message that was answered before it turned out to be spam stays Replied, but its pipeline has ended too. */
  const endedAsSpam = (input: StepInput, finished: ReadonlyMap<string, StepOutcome["kind"]>) => {
    const kind = finished.get(spamStep)
    const wasSpam = kind === "InSpam" || kind === "Spam"
    return input.message.status === "Replied" && wasSpam ? isInSpam(input) : Effect.succeed(false)
  }

  const markSpam = fn("Pipeline.markSpam")(function* (
    { claim, customerID, message }: StepInput,
    outcome: StepOutcome,
    isMoot: Effect.Effect<boolean>
  ): Effect.fn.Return<StepEnd, SqlError.SqlError> {
    const { ticketID, ticketMessageID } = message
    yield* claim.confirm
    const locked = yield* tickets.lock(customerID, [ticketID])
    if (yield* isMoot) return next(answeredAlready)
    yield* messages.markSpam(customerID, ticketMessageID)
    yield* changes
      .apply(customerID, locked, [{ _tag: "MarkSpam" }], ticketMessageID)
      .pipe(Effect.catchTag("Conflict", Effect.die))
    // Recorded together with its effect: a message that is spam does not reach this step again.
    yield* repo.finishSteps(customerID, ticketMessageID, [{ step: spamStep, ...outcome }], claim)
    return stop(outcome)
  }, inTransaction)

  const spam: Step = fn("Pipeline.spam")(function* (input) {
    const { customerID, hasAi, message } = input
    const { subject, ticketMessageID } = message
    yield* input.begin
    // The ticket was spam already, or an action before this step marked it.
    if (yield* isInSpam(input)) return yield* markSpam(input, ticketIsSpam, Effect.succeed(false))
    if (!hasAi) return yield* withoutAi
    const verdict = yield* spamCheck.check({
      customerID,
      ticketMessageID,
      subject,
      text: message.message ?? "",
      fromAddress: message.fromAddress
    })
    if (!verdict.isSpam) return next(done("Not spam"))
    // A person who answered while the model was thinking did not take the message for spam, even if that answer failed.
    return yield* markSpam(input, isSpam(verdict.reason), messages.isTakenUpByPerson(customerID, message))
  })

  const language: Step = fn("Pipeline.language")(function* ({ begin, customerID, hasAi, message }) {
    const { ticketID, ticketMessageID } = message
    if (!hasAi) return yield* withoutAi
    if (yield* repo.hasLanguage(customerID, ticketID)) return quietly(done("Already known"))
    yield* begin
    const found = yield* languageOf.message({ customerID, ticketMessageID, text: message.message ?? "" })
    if (Option.isNone(found)) return next(done("Not recognised"))
    yield* repo.setLanguage(customerID, ticketID, found.value)
    return next(done(found.value))
  })

  const detectTopics: Step = fn("Pipeline.detectTopics")(function* (input) {
    const { customerID, hasAi, message } = input
    if (!hasAi) return yield* withoutAi
    if (yield* hasTopics(input)) return quietly(done("Already known"))
    yield* input.begin
    yield* detections.detect(customerID, message.ticketMessageID, { executeActions: false })
    const found = yield* topics.list(customerID, message.ticketMessageID)
    return next(done(found.length === 0 ? "None" : found.map(({ name }) => name).join(", ")))
  })

  const topicActions: Step = (input) =>
    Effect.flatMap(hasTopics(input), (has) => (has ? runHook(input, null) : Effect.succeed(quietly(noTopics))))

  const draft: Step = fn("Pipeline.draft")(function* (input) {
    const { customerID, hasAi, message } = input
    if (!hasAi) return yield* withoutAi
    const current = yield* messages.find(customerID, message.ticketMessageID)
    if (Option.exists(current, ({ aiReply }) => aiReply !== null)) return quietly(done("Already prepared"))
    if (yield* isInSpam(input)) return quietly(ticketIsSpam)
    // An action or a person may have answered it.
    if (Option.exists(current, ({ status }) => status === "Replied")) return quietly(answeredAlready)
    yield* input.begin
    // An answer that a person has begun meanwhile is left for that person to send.
    return (yield* drafts.prepare(customerID, message.ticketMessageID))
      ? next(done("Prepared"))
      : stop(done("Left to the person who is already answering"))
  })

  const steps: ReadonlyArray<readonly [name: string, step: Step]> = [
    ["OnTicketCreated", hook("OnTicketCreated", isNewTicket)],
    ["OnPhonePickup", hookBeside("OnPhonePickup", "Phone")],
    ["OnChatStarted", hookBeside("OnChatStarted", "Chat")],
    ["OnMessageReceived", hook("OnMessageReceived", always)],
    ["PreSpam", hook("PreSpam", always)],
    [spamStep, spam],
    ["Language", language],
    ["Topics", detectTopics],
    ["OnTopicsDetected", hook("OnTopicsDetected", hasTopics)],
    [topicStep, topicActions],
    [draftStep, draft],
    ["OnDraftReady", hook("OnDraftReady", hasDraft)]
  ]
  return { endedAsSpam, steps, isAiConfigured: ai.isConfigured }
})
