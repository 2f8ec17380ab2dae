import { Cause, Clock, Context, Data, Duration, Effect, Exit, Layer, Option } from "effect"
import { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { AiRunID, CustomerID, ModelID } from "../../schema/Ids.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { ModelsRepo, type UsableModel } from "../customers/ModelsRepo.ts"
import { makeKeyedPermits } from "../platform/concurrency/KeyedPermits.ts"
import { storable } from "../platform/database/Storable.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { countAiCall } from "../platform/telemetry/AiTelemetry.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { AiCall, ModelChoice } from "./AiCall.ts"
import { AiLedger } from "./AiLedger.ts"
import { AiLimits } from "./AiLimits.ts"
import type { NewAiRun } from "./AiRunsRepo.ts"
import type { ReadAnswer } from "./AnswerText.ts"
import { type Complete, type Completion, CompletionFailed } from "./Completions.ts"
import { FinalFailure } from "./FinalFailure.ts"
import { chooseModel } from "./ModelChoice.ts"
import { openAi } from "./OpenAi.ts"
import { startTime } from "./SharedTime.ts"
import { sandbox } from "./sandbox/Sandbox.ts"

/** How the answer must look. */
export interface AnswerShape<A> {
  readonly read: ReadAnswer<A>
  readonly jsonSchema: Option.Option<object>
  /** How many times to ask in total when the answer cannot be used. */
  readonly attempts: number
}

interface ModelAnswer<A> extends Completion {
  readonly value: A
  readonly modelID: ModelID
  readonly modelName: string
  readonly durationMs: number
  /** Its row in the ledger, if that is written by now. */
  readonly aiRunID: AiRunID | null
}

/** The model answered, but not with what was asked for. */
class Unusable extends Data.TaggedError("Unusable")<{ readonly message: string; readonly completion: Completion }> {}

/** Finds the model that answers for a customer, asks it, and records every call in the ledger. */
export class ModelCalls extends Context.Tag("casework/ModelCalls")<
  ModelCalls,
  {
    readonly ask: <A>(
      call: AiCall,
      shape: AnswerShape<A>,
      replayOf?: AiRunID
    ) => Effect.Effect<ModelAnswer<A>, BadRequest | BadGateway>
    /** None when the model's answer cannot be used: asking again later would bring the same. */
    readonly askIfUsable: <A>(
      call: AiCall,
      shape: AnswerShape<A>
    ) => Effect.Effect<Option.Option<ModelAnswer<A>>, BadRequest | BadGateway>
    readonly check: (choice: ModelChoice) => Effect.Effect<void, BadRequest>
    readonly isConfigured: (customerID: CustomerID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    ModelCalls,
    Effect.suspend(() => make)
  )
}

const noKey = new BadRequest({
  message: "There is no AI key. Set aiProviderApiKey of your organisation (PUT /api/Customers/me)."
})

type Finding = Pick<NewAiRun, "outcome" | "error" | "output" | "inputTokens" | "outputTokens">

const answered = (outcome: "Succeeded" | "Rejected", error: string | null, completion: Completion): Finding => ({
  outcome,
  error,
  output: storable(completion.text),
  inputTokens: completion.inputTokens,
  outputTokens: completion.outputTokens
})

const unanswered = (error: string): Finding => ({
  outcome: "Failed",
  error,
  output: null,
  inputTokens: null,
  outputTokens: null
})

const findingOf = (exit: Exit.Exit<{ readonly completion: Completion }, Unusable | CompletionFailed>): Finding =>
  Exit.match(exit, {
    onSuccess: ({ completion }) => answered("Succeeded", null, completion),
    onFailure: (cause) =>
      Option.match(Cause.failureOption(cause), {
        onNone: () => unanswered(Cause.isInterrupted(cause) ? "The caller disconnected." : "It failed unexpectedly."),
        onSome: (error) =>
          error.completion === undefined
            ? unanswered(error.message)
            : answered("Rejected", error.message, error.completion)
      })
  })

const failures = {
  Unusable: () => FinalFailure.of("The AI model's answer could not be used. Nothing changed; try again."),
  CompletionFailed: ({ isFinal = false, message }: CompletionFailed) =>
    (isFinal ? FinalFailure : BadGateway).of(`${message} Nothing changed.`)
}

const hasAnswered = (failure: Unusable | CompletionFailed | BadRequest) =>
  failure._tag === "Unusable" || (failure._tag === "CompletionFailed" && failure.completion !== undefined)

const make = Effect.gen(function* () {
  const { aiProvider, openAiBaseUrl } = yield* Settings
  const limits = yield* AiLimits
  const customers = yield* CustomerSettings
  const models = yield* ModelsRepo
  const ledger = yield* AiLedger
  const { take } = yield* makeKeyedPermits(limits.atOnce)

  /** A late turn would leave no time for an answer, so the caller is told before then. */
  const turnOf = (customerID: CustomerID) => {
    const longest = Duration.times(limits.total, 0.5)
    const message = `The AI provider is busy with earlier calls: this one could not start within ${Duration.format(longest)}.`
    return take(String(customerID)).pipe(
      Effect.timeoutFail({ duration: longest, onTimeout: () => new CompletionFailed({ message }) })
    )
  }

  const tooLate = () =>
    new CompletionFailed({ message: `The AI provider did not respond within ${Duration.format(limits.total)}.` })

  const isConfigured = fn("ModelCalls.isConfigured")(function* (customerID: CustomerID) {
    return aiProvider === "sandbox" || (yield* customers.get(customerID)).aiProviderApiKey !== null
  })

  /** Finds the provider and the model that will answer. */
  const prepare = fn("ModelCalls.prepare")(function* ({
    customerID,
    images = [],
    withImages = images.length > 0,
    ...call
  }: ModelChoice) {
    const customer = yield* customers.get(customerID)
    const key = customer.aiProviderApiKey
    if (key === null && aiProvider !== "sandbox") return yield* Effect.fail(noKey)
    const complete: Complete = key === null ? sandbox : openAi(openAiBaseUrl, key, limits)
    const defaults = {
      Topic: customer.defaultTopicModelId,
      Webchat: customer.defaultWebchatModelId,
      EmailText: customer.defaultEmailTextModelId,
      EmailVision: customer.defaultEmailVisionModelId,
      Call: customer.defaultCallModelId,
      Spam: customer.defaultSpamModelId
    }
    const usable = yield* models.listUsable(customerID)
    const model = yield* chooseModel({ ...call, withImages }, defaults, usable)
    return { complete, model }
  })

  const put = fn("ModelCalls.ask")(function* <A>(
    call: AiCall,
    { attempts, jsonSchema, read }: AnswerShape<A>,
    replayOf: AiRunID | null = null
  ) {
    const record = (model: UsableModel | null, durationMs: number, finding: Finding) => {
      countAiCall(call.purpose, durationMs, finding)
      return ledger.record(call.customerID, {
        ...finding,
        ticketMessageID: call.ticketMessageID ?? null,
        roomID: call.roomID ?? null,
        purpose: call.purpose,
        slot: call.slot,
        modelID: model?.modelID ?? null,
        modelName: model?.name ?? call.modelName ?? null,
        promptVersion: call.promptVersion,
        system: call.system,
        user: call.user,
        input: call.input,
        answerSchema: Option.getOrNull(jsonSchema),
        imageCount: call.images?.length ?? 0,
        documents: call.documents ?? [],
        quotes: call.quotes ?? [],
        durationMs,
        replayOf
      })
    }
    const { complete, model } = yield* prepare(call).pipe(
      Effect.tapError(({ message }) => record(null, 0, unanswered(message)))
    )
    const question = { ...call, model: model.name, images: call.images ?? [], answerSchema: jsonSchema }

    const inTime = yield* startTime(limits.total, tooLate)
    const attempt = Effect.gen(function* () {
      // The model's own time: waiting for a turn does not count.
      let durationMs = 0
      let aiRunID: AiRunID | null = null
      const timed = Effect.flatMap(Clock.currentTimeNanos, (started) =>
        Effect.ensuring(
          complete(question),
          Effect.map(Clock.currentTimeNanos, (now) => {
            durationMs = Math.round(Number(now - started) / 1e6)
          })
        )
      )
      const answer = yield* timed.pipe(
        (answering) => Effect.zipRight(turnOf(call.customerID), answering),
        Effect.scoped,
        inTime,
        Effect.map((completion) => ({ ...completion, text: storable(completion.text) })),
        Effect.flatMap((completion) =>
          Effect.mapBoth(read(completion.text), {
            onFailure: (message) => new Unusable({ message, completion }),
            onSuccess: (value) => ({ value, completion })
          })
        ),
        Effect.onExit((exit) =>
          Effect.map(record(model, durationMs, findingOf(exit)), (written) => {
            aiRunID = written
          })
        )
      )
      return {
        ...answer.completion,
        value: answer.value,
        modelID: model.modelID,
        modelName: model.name,
        durationMs,
        aiRunID
      }
    })
    return yield* attempt.pipe(Effect.retry({ times: attempts - 1, while: ({ _tag }) => _tag === "Unusable" }))
  })

  return ModelCalls.of({
    ask: (call, shape, replayOf) => Effect.catchTags(put(call, shape, replayOf), failures),
    askIfUsable: (call, shape) =>
      put(call, shape).pipe(
        Effect.asSome,
        Effect.catchIf(hasAnswered, () => Effect.succeedNone),
        Effect.catchTags(failures)
      ),
    check: (choice) => Effect.asVoid(prepare(choice)),
    isConfigured
  })
})
