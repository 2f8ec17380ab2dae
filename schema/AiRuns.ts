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

export const AiPurpose = Schema.Literal(...purposes).annotations({ description: "The task given to the model" })
export type AiPurpose = typeof AiPurpose.Type

const outcomes = ["Succeeded", "Failed", "Rejected"] as const

export const AiOutcome = Schema.Literal(...outcomes).annotations({
  description: "Failed: there was no response. Rejected: there was one, but it could not be used."
})
export type AiOutcome = typeof AiOutcome.Type

export const UsedDocument = Schema.Struct({
  documentID: DocumentID,
  version: Schema.Int.annotations({ description: "Increases with every change of the document" })
})

const text = Schema.NullOr(Schema.String)

const count = Schema.NullOr(Schema.Int)

export class AiRun extends Schema.Class<AiRun>("AiRun")({
  aiRunID: AiRunID,
  ticketMessageID: Schema.NullOr(TicketMessageID),
  purpose: AiPurpose,
  modelID: Schema.NullOr(ModelID).annotations({ description: "null: no model was available, or it no longer exists" }),
  modelName: text,
  promptVersion: Schema.String,
  documents: Schema.Array(UsedDocument).annotations({
    description: "The documents that the prompt quoted, most relevant first"
  }),
  inputTokens: count,
  outputTokens: count,
  durationMs: Schema.Int,
  outcome: AiOutcome,
  error: text,
  output: text.annotations({ description: "The model's output" }),
  sentText: text.annotations({ description: "For a draft: the text that was finally sent" }),
  changedShare: Schema.NullOr(Schema.Number).annotations({
    description: "For a draft that was sent: 0 if it was sent unchanged, 1 if nothing of it was left"
  }),
  replayOf: Schema.NullOr(AiRunID).annotations({ description: "The run that this one repeats for comparison" }),
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
  from: changeable(Instant).annotations({ description: "At or after this time, ISO 8601" }),
  to: changeable(Instant).annotations({ description: "Before this time, ISO 8601" })
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
    description: "The share among the drafts that were sent; null if none was"
  })
}) {}

export const AiReplayRequest = Body("AiReplayRequest", {
  modelName: optional(Name.annotations({ examples: ["gpt-4.1-mini"] })).annotations({
    description: "Another model; by default the current model for the purpose"
  }),
  promptVersion: optional(Name).annotations({
    description: "Another version of the prompt; by default exactly the original prompt"
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
  before: Answered.annotations({ description: "The original result" }),
  now: Answered.annotations({ description: "The new result" })
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
            "Every call of a model, newest first, including failed ones. The runs of a message, or of a room of a report, are deleted with it and no longer count in the summary."
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
            "Calls, tokens and failures, and how many drafts were sent unchanged: one row for each day (UTC) and model, newest day first. Without from, covers the last 30 days. Calls for which no model could be found have a row without a model."
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
          summary: "Repeat an AI run for comparison",
          description:
            "Repeats the call, optionally with another model or another version of the prompt, and returns the new output next to the old one. Nothing else changes: no message, no topic, no draft. The call is recorded as a run of its own, with replayOf. An unknown model or prompt version returns 400, as does a run with pictures, since these are not kept. A model failure returns 502. Idempotency-Key is ignored."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "AI runs", description: "The ledger of every call of an AI model." })
  ) {}
