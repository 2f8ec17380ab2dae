import { Context, DateTime, Effect, Either, Layer, Option } from "effect"
import {
  AiReplay,
  type AiReplayRequest,
  type AiRun,
  type AiRunPage,
  type AiRunSummary,
  type AiRunsQuery,
  type AiSummaryQuery
} from "../../schema/AiRuns.ts"
import { CurrentRep } from "../../schema/Authentication.ts"
import { type BadGateway, BadRequest, type NotFound } from "../../schema/Errors.ts"
import type { AiRunID, CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { orNotFound } from "../platform/database/Found.ts"
import type { ReadyJson } from "../platform/database/ReadyJson.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiRunsRepo, type AskedAiRun } from "./AiRunsRepo.ts"
import { changedShare } from "./ChangedShare.ts"
import { fenceWith } from "./Fence.ts"
import { ModelCalls } from "./ModelCalls.ts"
import { makeMark } from "./prompts/Prompt.ts"
import { promptsFor } from "./prompts/Replayable.ts"

export class AiRuns extends Context.Tag("casework/AiRuns")<
  AiRuns,
  {
    readonly list: (query: AiRunsQuery) => Effect.Effect<ReadyJson<AiRunPage>, never, CurrentRep>
    readonly get: (aiRunID: AiRunID) => Effect.Effect<AiRun, NotFound, CurrentRep>
    readonly summarize: (query: AiSummaryQuery) => Effect.Effect<ReadonlyArray<AiRunSummary>, never, CurrentRep>
    readonly replay: (
      aiRunID: AiRunID,
      request: AiReplayRequest
    ) => Effect.Effect<AiReplay, BadRequest | NotFound | BadGateway, CurrentRep>
    /** Records what was finally sent, next to the last draft for the message, if there was one. */
    readonly noteSent: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      sentText: string
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    AiRuns,
    Effect.suspend(() => make)
  )
}

const missing = (aiRunID: AiRunID) => `There is no AI run ${aiRunID}.`

const summaryDays = 30

/** Returns the prompt as it was, or renders another version of it from the same input. */
const promptOf = (run: AskedAiRun, version: string | undefined) =>
  Effect.gen(function* () {
    if (version === undefined) return { promptVersion: run.promptVersion, system: run.system, user: run.user }
    const known = promptsFor(run.purpose)
    const prompt = known.find((candidate) => candidate.version === version)
    if (prompt === undefined) {
      const versions = known.map((candidate) => candidate.version).join(", ")
      const problem = versions === "" ? "cannot be chosen for this purpose" : `must be one of ${versions}`
      return yield* BadRequest.at("promptVersion", problem)
    }
    const rendered = yield* prompt
      .renderKept(run.input, fenceWith(yield* makeMark))
      .pipe(
        Effect.catchTag("ParseError", () =>
          BadRequest.at("promptVersion", "cannot be used with the stored input of this run")
        )
      )
    return { promptVersion: version, ...rendered }
  })

const make = Effect.gen(function* () {
  const repo = yield* AiRunsRepo
  const models = yield* ModelCalls

  return AiRuns.of({
    list: fn("AiRuns.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("AiRuns.get")(function* (aiRunID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, aiRunID).pipe(orNotFound(missing(aiRunID)))
    }),

    summarize: fn("AiRuns.summarize")(function* (query) {
      const { customerID } = yield* CurrentRep
      const to = query.to ?? DateTime.add(yield* DateTime.now, { days: 1 })
      const from = query.from ?? DateTime.subtract(to, { days: summaryDays + 1 })
      return yield* repo.summarize(customerID, from, to)
    }),

    replay: fn("AiRuns.replay")(function* (aiRunID, { modelName, promptVersion }) {
      const { customerID } = yield* CurrentRep
      const run = yield* repo.findAsked(customerID, aiRunID).pipe(orNotFound(missing(aiRunID)))
      if (run.imageCount > 0) {
        return yield* BadRequest.of("A run with pictures cannot be repeated: pictures are not stored.")
      }
      if (run.user === "") return yield* BadRequest.of("This run cannot be repeated: its texts have been erased.")
      const prompt = yield* promptOf(run, promptVersion)
      const answer = yield* models.ask(
        {
          customerID,
          purpose: run.purpose,
          slot: run.slot,
          ...prompt,
          input: run.input,
          documents: run.documents,
          quotes: run.quotes,
          ...(modelName !== undefined && { modelName }),
          ...(run.ticketMessageID !== null && { ticketMessageID: run.ticketMessageID }),
          ...(run.roomID !== null && { roomID: run.roomID })
        },
        { read: Either.right, jsonSchema: Option.fromNullable(run.answerSchema), attempts: 1 },
        aiRunID
      )
      const { durationMs, inputTokens, modelID, outputTokens, text } = answer
      return new AiReplay({
        aiRunID,
        purpose: run.purpose,
        before: run,
        now: {
          modelID,
          modelName: answer.modelName,
          promptVersion: prompt.promptVersion,
          output: text,
          inputTokens,
          outputTokens,
          durationMs
        }
      })
    }),

    noteSent: fn("AiRuns.noteSent")(function* (customerID, ticketMessageID, sentText) {
      const draft = yield* repo.findDraft(customerID, ticketMessageID)
      if (Option.isNone(draft)) return
      const { aiRunID, output } = draft.value
      yield* repo.saveSent(customerID, aiRunID, { sentText, changedShare: changedShare(output, sentText) })
    })
  })
})
