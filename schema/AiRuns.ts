import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { ignoresIdempotencyKey } from "./Conventions.ts"
import { BadGateway, NotFound } from "./Errors.ts"
import { anyCase, Body, changeable, Name, optional, Query } from "./Fields.ts"
import { AiRunID, DocumentID, idFromString, ModelID, pathId, TicketMessageID } from "./Ids.ts"
import { Instant } from "./Instant.ts"
import { Page, paging } from "./Paging.ts"

const purposes = [
  "Topics",
  "Draft",
  "Spam",
  "Language",
  "Summary",
  "Translation",
  "TranslationHtml",
  "LanguageOfPlace",
  "Transform"
] as const

export const AiPurpose = Schema.Literal(...purposes).annotations({ description: "What the model was asked for" })
export type AiPurpose = typeof AiPurpose.Type

const outcomes = ["Succeeded", "Failed", "Rejected"] as const

export const AiOutcome = Schema.Literal(...outcomes).annotations({
  description: "Failed: there was no answer. Rejected: there was one, but it could not be used."
})
export type AiOutcome = typeof AiOutcome.Type

export const UsedDocument = Schema.Struct({
  documentID: DocumentID,
  version: Schema.Int.annotations({ description: "Counts the document's changes" })
})

const text = Schema.NullOr(Schema.String)

const count = Schema.NullOr(Schema.Int)

export class AiRun extends Schema.Class<AiRun>("AiRun")({
  aiRunID: AiRunID,
  ticketMessageID: Schema.NullOr(TicketMessageID),
  purpose: AiPurpose,
  modelID: Schema.NullOr(ModelID).annotations({ description: "null: there was none to ask, or it is gone" }),
  modelName: text,
  promptVersion: Schema.String,
  documents: Schema.Array(UsedDocument).annotations({ description: "What the prompt quoted, most relevant first" }),
  inputTokens: count,
  outputTokens: count,
  durationMs: Schema.Int,
  outcome: AiOutcome,
  error: text,
  output: text.annotations({ description: "What the model answered" }),
  sentText: text.annotations({ description: "Of a draft: what was finally sent" }),
  changedShare: Schema.NullOr(Schema.Number).annotations({
    description: "Of a draft that was sent: 0 when it went out as it was, 1 when nothing of it was left"
  }),
  replayOf: Schema.NullOr(AiRunID).annotations({ description: "The run that this one repeated to compare" }),
  dateCreated: Schema.DateTimeUtc
}) {}

export const aiRunPaging = paging({
  sortable: [
    "aiRunID",
    "ticketMessageID",
    "purpose",
    "modelID",
    "modelName",
    "promptVersion",
    "documents",
    "inputTokens",
    "outputTokens",
    "durationMs",
    "outcome",
    "error",
    "output",
    "sentText",
    "changedShare",
    "replayOf",
    "dateCreated"
  ],
  sortBy: "dateCreated",
  sortOrder: "desc"
})

const period = {
  from: changeable(Instant).annotations({ description: "Not earlier than this, ISO 8601" }),
  to: changeable(Instant).annotations({ description: "Earlier than this, ISO 8601" })
}

export const AiRunsQuery = Query({
  ...aiRunPaging.query,
  ticketMessageId: changeable(idFromString(TicketMessageID)),
  purpose: changeable(anyCase(purposes)),
  outcome: changeable(anyCase(outcomes)),
  modelId: changeable(idFromString(ModelID)),
  promptVersion: changeable(Schema.String),
  ...period
})
export type AiRunsQuery = typeof AiRunsQuery.Type

export const AiRunPage = Page("AiRunPage", AiRun)
export type AiRunPage = typeof AiRunPage.Type

export const AiSummaryQuery = Query(period)
export type AiSummaryQuery = typeof AiSummaryQuery.Type

export class AiRunSummary extends Schema.Class<AiRunSummary>("AiRunSummary")({
  day: Schema.String.annotations({ description: "In UTC", examples: ["2026-03-01"] }),
  modelID: Schema.NullOr(ModelID),
  modelName: text,
  calls: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  rejected: Schema.Int,
  inputTokens: Schema.Int,
  outputTokens: Schema.Int,
  averageDurationMs: Schema.Int,
  drafts: Schema.Int,
  draftsSent: Schema.Int,
  draftsSentUnchanged: Schema.Int,
  shareSentUnchanged: Schema.NullOr(Schema.Number).annotations({
    description: "Of the drafts that were sent; null when none was"
  })
}) {}

export const AiReplayRequest = Body("AiReplayRequest", {
  modelName: optional(Name.annotations({ examples: ["gpt-4.1-mini"] })).annotations({
    description: "Another model; not given: the one that fits the purpose now"
  }),
  promptVersion: optional(Name).annotations({
    description: "Another version of the prompt; not given: the prompt as it was, to the letter"
  })
})
export type AiReplayRequest = typeof AiReplayRequest.Type

const Answered = Schema.Struct({
  modelID: Schema.NullOr(ModelID),
  modelName: text,
  promptVersion: Schema.String,
  output: text,
  inputTokens: count,
  outputTokens: count,
  durationMs: Schema.Int
})

export class AiReplay extends Schema.Class<AiReplay>("AiReplay")({
  aiRunID: AiRunID,
  purpose: AiPurpose,
  before: Answered.annotations({ description: "What was answered then" }),
  now: Answered.annotations({ description: "What is answered now" })
}) {}

export class AiRunsApi extends HttpApiGroup.make("aiRuns")
  .add(
    HttpApiEndpoint.get("listAiRuns", "/api/AiRuns")
      .setUrlParams(AiRunsQuery)
      .addSuccess(AiRunPage)
      .annotateContext(
        OpenApi.annotations({
          summary: "List AI runs",
          description:
            "Every call of a model, newest first, also those that failed. The runs of a message, or of a room of a report, go with it when it is deleted, also from the summary."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("summarizeAiRuns", "/api/AiRuns/summary")
      .setUrlParams(AiSummaryQuery)
      .addSuccess(Schema.Array(AiRunSummary))
      .annotateContext(
        OpenApi.annotations({
          summary: "AI runs by day and model",
          description:
            "Calls, tokens and failures, and how many drafts were sent as they were: one row for each day (UTC) and model, newest day first. Without from the last 30 days. Calls for which no model could be found have none."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getAiRun")`/api/AiRuns/${pathId(AiRunID)}`
      .addSuccess(AiRun)
      .addError(NotFound)
      .annotateContext(OpenApi.annotations({ summary: "Read an AI run", description: "One run, with its ETag." }))
  )
  .add(
    HttpApiEndpoint.post("replayAiRun")`/api/AiRuns/${pathId(AiRunID)}/replay`
      .setPayload(AiReplayRequest)
      .addSuccess(AiReplay)
      .addError(NotFound)
      .addError(BadGateway)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        OpenApi.annotations({
          summary: "Repeat an AI run to compare",
          description:
            "Asks the same question again, of another model or with another version of the prompt, and answers the new output beside the old one. Nothing else changes: no message, no topic, no draft. The call itself is a run of its own, with replayOf. An unknown model or prompt version is 400, and so is a run with pictures, since these are not kept. A model that fails is 502. Idempotency-Key has no meaning here."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "AI runs", description: "The ledger of every call of an AI model." })
  ) {}
