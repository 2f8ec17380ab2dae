import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, DateTime, Effect, Layer, type Option, Schema } from "effect"
import {
  AiOutcome,
  AiPurpose,
  AiRun,
  AiRunPage,
  AiRunSummary,
  type AiRunsQuery,
  aiRunPaging,
  UsedDocument
} from "../../schema/AiRuns.ts"
import { AiRunID, CustomerID, ModelID, PlaceDescriptionRoomID, TicketMessageID } from "../../schema/Ids.ts"
import { Slot } from "../customers/ModelsRepo.ts"
import { whenGiven } from "../platform/database/Filters.ts"
import { isoDate } from "../platform/database/JsonColumns.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { pagedJson } from "../platform/database/PagedJson.ts"
import { ignoringCase } from "../platform/database/PagedQuery.ts"
import type { ReadyJson } from "../platform/database/ReadyJson.ts"
import { eachStorable, storable } from "../platform/database/Storable.ts"
import { failOnViolation, type MissingReference } from "../platform/database/Violations.ts"
import { makeHasWords } from "./RunWordsSql.ts"

const NewRun = Schema.Struct({
  ticketMessageID: Schema.NullOr(TicketMessageID),
  roomID: Schema.NullOr(PlaceDescriptionRoomID),
  purpose: AiPurpose,
  slot: Slot,
  modelID: Schema.NullOr(ModelID),
  modelName: Schema.NullOr(Schema.String),
  promptVersion: Schema.String,
  system: Schema.String,
  user: Schema.String,
  input: Schema.Unknown,
  answerSchema: Schema.Unknown,
  imageCount: Schema.Int,
  documents: Schema.Array(UsedDocument),
  inputTokens: Schema.NullOr(Schema.Int),
  outputTokens: Schema.NullOr(Schema.Int),
  durationMs: Schema.Int,
  outcome: AiOutcome,
  error: Schema.NullOr(Schema.String),
  output: Schema.NullOr(Schema.String),
  replayOf: Schema.NullOr(AiRunID),
  /** Messages that the prompt quotes, other than the one it is about. */
  quotes: Schema.Array(TicketMessageID)
})
export type NewAiRun = typeof NewRun.Type

const Row = Schema.Struct({ ...AiRun.fields, dateCreated: Schema.DateTimeUtcFromDate })

/** A run along with what the model was asked. */
const Asked = Schema.Struct({
  ...Row.fields,
  slot: Slot,
  system: Schema.String,
  user: Schema.String,
  input: Schema.Unknown,
  answerSchema: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  imageCount: Schema.Int,
  roomID: Schema.NullOr(PlaceDescriptionRoomID),
  quotes: Schema.Array(TicketMessageID)
})
export type AskedAiRun = typeof Asked.Type

const Draft = Schema.Struct({ aiRunID: AiRunID, output: Schema.String })

export class AiRunsRepo extends Context.Tag("casework/AiRunsRepo")<
  AiRunsRepo,
  {
    /** Inserts the run without its texts if one of its messages was deleted or erased while the model was answering. */
    readonly insert: (customerID: CustomerID, run: NewAiRun) => Effect.Effect<AiRunID, MissingReference>
    readonly list: (customerID: CustomerID, query: AiRunsQuery) => Effect.Effect<ReadyJson<AiRunPage>>
    readonly find: (customerID: CustomerID, aiRunID: AiRunID) => Effect.Effect<Option.Option<AiRun>>
    readonly findAsked: (customerID: CustomerID, aiRunID: AiRunID) => Effect.Effect<Option.Option<AskedAiRun>>
    readonly summarize: (
      customerID: CustomerID,
      from: DateTime.Utc,
      to: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<AiRunSummary>>
    /** The last draft that was stored with a message, unless its text is gone. */
    readonly findDraft: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<Option.Option<typeof Draft.Type>>
    readonly saveSent: (
      customerID: CustomerID,
      aiRunID: AiRunID,
      sent: { readonly sentText: string; readonly changedShare: number }
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    AiRunsRepo,
    Effect.suspend(() => make)
  )
}

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value, eachStorable))

/** The run without its texts, as deleting a message leaves the runs that quote it. */
export const withoutWords = (run: NewAiRun): NewAiRun => ({
  ...run,
  system: "",
  user: "",
  input: null,
  output: null,
  error: null
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columnsWith = (
    dateCreated: string
  ) => `ai_run_id as "aiRunID", ticket_message_id as "ticketMessageID", purpose, model_id as "modelID",
    model_name as "modelName", prompt_version as "promptVersion", documents, input_tokens as "inputTokens",
    output_tokens as "outputTokens", duration_ms as "durationMs", outcome, error, output, sent_text as "sentText",
    changed_share as "changedShare", replay_of as "replayOf", ${dateCreated} as "dateCreated"`
  const columns = sql.literal(columnsWith("created_at"))
  const askedColumns = sql.literal(`${columnsWith("created_at")}, slot, system_prompt as system, user_prompt as "user",
    prompt_input as input, answer_schema as "answerSchema", image_count as "imageCount",
    place_description_room_id as "roomID", quotes`)
  const rowsOf = { table: "ai_run", key: "ai_run_id" } as const
  const rows = ownRows(sql, { ...rowsOf, columns, Result: Row })
  const asked = ownRows(sql, { ...rowsOf, columns: askedColumns, Result: Asked })

  const insertRun = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, ...NewRun.fields }),
    Result: Schema.Struct({ aiRunID: AiRunID }),
    execute: (_) => sql`
      insert into ai_run (customer_id, ticket_message_id, purpose, slot, model_id, model_name, prompt_version,
        system_prompt, user_prompt, prompt_input, answer_schema, image_count, documents, input_tokens, output_tokens,
        duration_ms, outcome, error, output, replay_of, quotes, place_description_room_id)
      values (${_.customerID}, ${_.ticketMessageID}, ${_.purpose}, ${_.slot}, ${_.modelID}, ${_.modelName},
        ${_.promptVersion}, ${storable(_.system)}, ${storable(_.user)}, ${json(_.input)}::jsonb, ${json(_.answerSchema)}::json,
        ${_.imageCount}, ${JSON.stringify(_.documents)}::jsonb, ${_.inputTokens}, ${_.outputTokens}, ${_.durationMs},
        ${_.outcome}, ${_.error}, ${_.output}, ${_.replayOf}, ${_.quotes}::int[], ${_.roomID})
      returning ai_run_id as "aiRunID"`
  })
  const insert = (customerID: CustomerID, run: NewAiRun) =>
    Effect.map(insertRun({ customerID, ...run }), ({ aiRunID }) => aiRunID)
  const list = pagedJson(sql, {
    Page: AiRunPage,
    columns: columnsWith(isoDate("created_at")),
    from: ({ customerID, query }: { readonly customerID: CustomerID; readonly query: AiRunsQuery }) =>
      sql`ai_run where ${sql.and([
        sql`customer_id = ${customerID}`,
        ...whenGiven(query.ticketMessageId, (id) => sql`ticket_message_id = ${id}`),
        ...whenGiven(query.purpose, (purpose) => sql`purpose = ${purpose}`),
        ...whenGiven(query.outcome, (outcome) => sql`outcome = ${outcome}`),
        ...whenGiven(query.modelId, (modelID) => sql`model_id = ${modelID}`),
        ...whenGiven(query.promptVersion, (version) => sql`prompt_version = ${version}`),
        ...whenGiven(query.from, (from) => sql`created_at >= ${DateTime.toDateUtc(from)}`),
        ...whenGiven(query.to, (to) => sql`created_at < ${DateTime.toDateUtc(to)}`)
      ])}`,
    sortBy: {
      aiRunID: "ai_run_id",
      ticketMessageID: "ticket_message_id",
      purpose: `purpose collate "C"`,
      modelID: "model_id",
      modelName: ignoringCase("model_name"),
      promptVersion: `prompt_version collate "C"`,
      documents: "nullif(documents, '[]')",
      inputTokens: "input_tokens",
      outputTokens: "output_tokens",
      durationMs: "duration_ms",
      outcome: `outcome collate "C"`,
      error: ignoringCase("error"),
      output: ignoringCase("output"),
      sentText: ignoringCase("sent_text"),
      changedShare: "changed_share",
      replayOf: "replay_of",
      dateCreated: "created_at"
    },
    optional: ["documents", "error", "output", "sentText", "changedShare", "replayOf"],
    id: "ai_run_id",
    paging: aiRunPaging
  })
  const summarize = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, from: Schema.DateFromSelf, to: Schema.DateFromSelf }),
    Result: AiRunSummary,
    execute: (_) => sql`
      select day, "modelID", "modelName", calls, succeeded, failed, rejected, "inputTokens", "outputTokens",
        "averageDurationMs", drafts, "draftsSent", "draftsSentUnchanged",
        case when "draftsSent" > 0 then "draftsSentUnchanged"::float8 / "draftsSent" end as "shareSentUnchanged"
      from (
        select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, model_id as "modelID",
          model_name as "modelName", count(*)::int as calls,
          (count(*) filter (where outcome = 'Succeeded'))::int as succeeded,
          (count(*) filter (where outcome = 'Failed'))::int as failed,
          (count(*) filter (where outcome = 'Rejected'))::int as rejected,
          coalesce(sum(input_tokens), 0)::float8 as "inputTokens",
          coalesce(sum(output_tokens), 0)::float8 as "outputTokens",
          avg(duration_ms)::int as "averageDurationMs",
          (count(*) filter (where purpose = 'Draft' and outcome = 'Succeeded' and replay_of is null))::int as drafts,
          (count(*) filter (where sent_text is not null))::int as "draftsSent",
          (count(*) filter (where changed_share = 0))::int as "draftsSentUnchanged"
        from ai_run where customer_id = ${_.customerID} and created_at >= ${_.from} and created_at < ${_.to}
        group by 1, 2, 3) runs
      order by day desc, lower("modelName") collate "C", "modelID"`
  })
  // An event of an older version, or of a run that was not written in time, names no run.
  const findDraft = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID }),
    Result: Draft,
    execute: (_) => sql`
      select "aiRunID", output from (
        select ai_run_id as "aiRunID", output from ai_run
        where customer_id = ${_.customerID} and ticket_message_id = ${_.ticketMessageID} and purpose = 'Draft'
          and outcome = 'Succeeded' and replay_of is null and exists (
            select from event where event.customer_id = ${_.customerID}
              and event.ticket_message_id = ${_.ticketMessageID} and kind = 'DraftReady'
              and coalesce(details ->> 'aiRunID' = ai_run_id::text, at >= ai_run.created_at))
        order by created_at desc, ai_run_id desc limit 1) last
      where output is not null`
  })

  const hasWords = makeHasWords(sql)
  const insertGuarded = (customerID: CustomerID, run: NewAiRun) =>
    Effect.gen(function* () {
      return yield* insert(customerID, (yield* hasWords(customerID, run)) ? run : withoutWords(run))
    }).pipe(sql.withTransaction)

  return AiRunsRepo.of({
    insert: (customerID, run) =>
      (run.ticketMessageID === null && run.quotes.length === 0
        ? insert(customerID, run)
        : insertGuarded(customerID, run)
      ).pipe(failOnViolation, Effect.catchTag("Duplicate", Effect.die)),
    list: (customerID, query) => list({ customerID, query }, query),
    find: rows.find,
    findAsked: asked.find,
    summarize: (customerID, from, to) =>
      summarize({ customerID, from: DateTime.toDateUtc(from), to: DateTime.toDateUtc(to) }).pipe(Effect.orDie),
    findDraft: (customerID, ticketMessageID) => findDraft({ customerID, ticketMessageID }).pipe(Effect.orDie),
    saveSent: (customerID, aiRunID, { changedShare, sentText }) =>
      rows
        .update(customerID, aiRunID, { sent_text: sentText, changed_share: changedShare })
        .pipe(Effect.catchTag("Duplicate", Effect.die), Effect.asVoid)
  })
})
