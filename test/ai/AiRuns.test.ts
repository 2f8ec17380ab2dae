import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { AiRunID } from "../../schema/Ids.ts"
import { AiProvider } from "../../src/ai/AiProvider.ts"
import { problemPaths } from "../http/ErrorBody.ts"
import { failingWith, OpenAiServer, openAiApp, saying, withKey } from "../support/OpenAiServer.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { detect, postMessage } from "./MessageAi.ts"
import { acme } from "./Messages.ts"

/** The AI run of a topic detection for which the model gives this answer. */
const detected = (answer: string, message = "I lost my key") =>
  Effect.gen(function* () {
    yield* withKey
    const server = yield* OpenAiServer
    yield* server.does(saying(answer))
    const { messageID } = yield* postMessage("acme-agent", { message })
    yield* Effect.either(detect("acme-agent", messageID))
    const { aiRuns } = yield* clientOf("acme-agent")
    const { items } = yield* aiRuns.listAiRuns({ urlParams: { ticketMessageId: messageID } })
    const [run] = items
    return run === undefined ? yield* Effect.dieMessage("The call is not in the ledger") : run
  })

const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const customerID = yield* acme
  const tables = ["ticket", "ticket_message", "ticket_message_topic", "event", "job", "topic_correction"]
  return yield* Effect.forEach(
    tables,
    (table) => sql`select * from ${sql(table)} t where t.customer_id = ${customerID} order by t::text`
  )
})

layer(openAiApp("sandbox"), { excludeTestServices: true })("AI runs", (it) => {
  it.effect("use the sandbox for a customer without a key, and the provider for one with a key", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* server.does(saying("Hallo"))
      const { aiRuns, customers, translations } = yield* clientOf("acme-admin")
      const translate = translations.translate({ payload: { sourceText: "Hello", targetLang: "de" } })
      yield* customers.updateCustomer({ payload: { aiProviderApiKey: null } })
      expect(yield* translate).toBe("[sandbox] (de) Hello")
      expect(yield* server.asked).toEqual([])
      yield* withKey
      expect(yield* translate).toBe("Hallo")
      expect(yield* server.asked).toHaveLength(1)
      const { items } = yield* aiRuns.listAiRuns({ urlParams: { pageSize: 2 } })
      expect(items.map(({ output }) => output)).toEqual(["Hallo", "[sandbox] (de) Hello"])
    })
  )

  it.effect("are listed newest first, filtered and sorted", () =>
    Effect.gen(function* () {
      const { aiRuns } = yield* clientOf("acme-agent")
      const [good, bad] = [yield* detected('{"topicIDs":[]}'), yield* detected("nonsense")]
      const list = (urlParams: Parameters<typeof aiRuns.listAiRuns>[0]["urlParams"]) =>
        Effect.map(aiRuns.listAiRuns({ urlParams }), ({ items }) => items.map(({ aiRunID }) => aiRunID))
      const newest = yield* list({ pageSize: 3 })
      expect(newest).toEqual([bad.aiRunID, bad.aiRunID - 1, good.aiRunID])
      const { ticketMessageID, modelID } = good
      if (ticketMessageID === null || modelID === null) return yield* Effect.dieMessage("incomplete")
      expect(yield* list({ ticketMessageId: ticketMessageID })).toEqual([good.aiRunID])
      expect(yield* list({ purpose: "Topics", outcome: "Rejected", pageSize: 1 })).toEqual([bad.aiRunID])
      expect(yield* list({ modelId: modelID, outcome: "Succeeded", pageSize: 1 })).toEqual([good.aiRunID])
      expect(yield* list({ promptVersion: "topics-0" })).toEqual([])
      expect(yield* list({ purpose: "Draft" })).toEqual([])
      expect(yield* list({ from: DateTime.add(bad.dateCreated, { seconds: 1 }) })).toEqual([])
      expect(yield* list({ to: good.dateCreated, purpose: "Topics" })).toEqual([])
      expect((yield* list({ sortBy: "aiRunID", pageSize: 200 })).at(-1)).toBe(bad.aiRunID)
      const byOutcome = yield* aiRuns.listAiRuns({ urlParams: { sortBy: "outcome", sortOrder: "desc", pageSize: 200 } })
      const outcomes = byOutcome.items.map(({ outcome }) => outcome)
      expect(outcomes).toEqual([...outcomes].sort().reverse())
      expect(yield* aiRuns.getAiRun({ path: { id: good.aiRunID } })).toEqual(good)

      const token = yield* tokenOf("acme-agent")
      const query = "/api/AiRuns?purpose=x&outcome=y&modelId=0&from=yesterday&ticketMessageId=a"
      expect(problemPaths(yield* sendJson("GET", query, { token }))).toEqual([
        "from",
        "modelId",
        "outcome",
        "purpose",
        "ticketMessageId"
      ])
      const anyCase = yield* sendJson("GET", "/api/AiRuns?PURPOSE=topics&Outcome=rejected&pageSize=1", { token })
      expect(anyCase.json).toMatchObject({ items: [{ aiRunID: bad.aiRunID }] })
    })
  )

  it.effect("show everything about the call except the prompt", () =>
    Effect.gen(function* () {
      const run = yield* detected('{"topicIDs":[]}')
      const token = yield* tokenOf("acme-agent")
      const { json } = yield* sendJson("GET", `/api/AiRuns/${run.aiRunID}`, { token })
      expect(json).toEqual({
        aiRunID: run.aiRunID,
        ticketMessageID: run.ticketMessageID,
        purpose: "Topics",
        modelID: run.modelID,
        modelName: "gpt-4.1-mini",
        promptVersion: "topics-2",
        documents: [],
        inputTokens: 120,
        outputTokens: 7,
        durationMs: expect.any(Number),
        outcome: "Succeeded",
        error: null,
        output: '{"topicIDs":[]}',
        sentText: null,
        changedShare: null,
        replayOf: null,
        dateCreated: expect.stringMatching(/Z$/)
      })
    })
  )

  it.effect("can be replayed with the same prompt, another model or another version, and change nothing else", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      const { aiRuns } = yield* clientOf("acme-agent")
      const run = yield* detected('{"topicIDs":[]}')
      const [first] = yield* server.asked
      const before = yield* everything
      const path = { id: run.aiRunID }

      yield* server.does(saying('{"topicIDs":[1]}'))
      const same = yield* aiRuns.replayAiRun({ path, payload: {} })
      expect(same).toMatchObject({
        aiRunID: run.aiRunID,
        purpose: "Topics",
        before: { output: '{"topicIDs":[]}', promptVersion: "topics-2", modelName: "gpt-4.1-mini" },
        now: { output: '{"topicIDs":[1]}', promptVersion: "topics-2", inputTokens: 120, outputTokens: 7 }
      })
      const [again] = yield* server.asked
      expect([again?.messages, again?.response_format]).toEqual([first?.messages, first?.response_format])

      const older = yield* aiRuns.replayAiRun({
        path,
        payload: { promptVersion: "topics-1", modelName: "GPT-4.1-MINI" }
      })
      expect(older.now).toMatchObject({ promptVersion: "topics-1", modelName: "gpt-4.1-mini" })
      const prompt = JSON.stringify((yield* server.asked)[1]?.messages)
      expect(prompt).toContain("I lost my key")
      expect(prompt).not.toContain("hints")

      expect(yield* everything).toEqual(before)
      expect(yield* aiRuns.getAiRun({ path })).toEqual(run)
      const { items } = yield* aiRuns.listAiRuns({ urlParams: { pageSize: 2 } })
      expect(items).toMatchObject([
        { replayOf: run.aiRunID, promptVersion: "topics-1" },
        { replayOf: run.aiRunID, promptVersion: "topics-2", ticketMessageID: run.ticketMessageID }
      ])
    })
  )

  it.effect("are not replayed with an unknown version or model, with pictures, or by another customer", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      const token = yield* tokenOf("acme-agent")
      const run = yield* detected('{"topicIDs":[]}')
      const ai = yield* AiProvider
      yield* server.does(saying("ok"))
      yield* ai.text({
        customerID: yield* acme,
        purpose: "Transform",
        slot: "EmailVision",
        promptVersion: "transform-2",
        system: "s",
        user: "u",
        images: [{ contentType: "image/png", bytes: Uint8Array.of(1) }]
      })
      const { aiRuns } = yield* clientOf("acme-agent")
      const [newest] = (yield* aiRuns.listAiRuns({ urlParams: { pageSize: 1 } })).items
      const withPicture = yield* Effect.fromNullable(newest)
      yield* server.does(saying("nobody asks"))
      const replay = (id: number | string, body: unknown, as = token) =>
        sendJson("POST", `/api/AiRuns/${id}/replay`, { token: as, body })
      expect(problemPaths(yield* replay(run.aiRunID, { promptVersion: "topics-9" }))).toEqual(["promptVersion"])
      expect(problemPaths(yield* replay(run.aiRunID, { promptVersion: "spam-1" }))).toEqual(["promptVersion"])
      expect(problemPaths(yield* replay(run.aiRunID, { modelName: "gpt-9" }))).toEqual(["modelName"])
      expect(problemPaths(yield* replay(run.aiRunID, { modelName: 5, promptVersion: "" }))).toEqual([
        "modelName",
        "promptVersion"
      ])
      const pictures = yield* replay(withPicture.aiRunID, {})
      expect([pictures.status, pictures.text]).toEqual([400, expect.stringContaining("pictures are not stored")])
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        update ai_run set image_count = 0, system_prompt = '', user_prompt = ''
        where customer_id = ${yield* acme} and ai_run_id = ${withPicture.aiRunID}`
      const erased = yield* replay(withPicture.aiRunID, {})
      expect([erased.status, erased.text]).toEqual([400, expect.stringContaining("have been erased")])
      expect((yield* replay(2_147_483_000, {})).status).toBe(404)
      expect((yield* replay(run.aiRunID, {}, yield* tokenOf("globex-admin"))).status).toBe(404)
      expect(yield* server.asked).toEqual([])
      yield* server.does(failingWith(401))
      const { json, status } = yield* replay(run.aiRunID, {})
      expect([status, json]).toMatchObject([502, { message: expect.stringContaining("key") }])
    })
  )

  it.effect("are summed up by day and model", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { aiRuns } = yield* clientOf("acme-agent")
      const customerID = yield* acme
      const values = (at: string, outcome: string, tokens: number | null, share: number | null) => ({
        customer_id: customerID,
        purpose: "Draft",
        slot: "EmailText",
        model_name: "summed",
        prompt_version: "draft-1",
        system_prompt: "",
        user_prompt: "",
        duration_ms: 100,
        outcome,
        input_tokens: tokens,
        output_tokens: tokens,
        sent_text: share === null ? null : "sent",
        changed_share: share,
        created_at: at
      })
      yield* sql`insert into ai_run ${sql.insert([
        values("2020-03-01T00:00:00Z", "Succeeded", 2_000_000_010, 0),
        values("2020-03-01T23:59:59Z", "Succeeded", 2_000_000_020, 0.5),
        values("2020-03-01T12:00:00Z", "Failed", null, null),
        values("2020-03-02T00:00:00Z", "Rejected", 5, null)
      ])}`
      const [from, to] = [DateTime.unsafeMake("2020-03-01T00:00:00Z"), DateTime.unsafeMake("2020-03-03T00:00:00Z")]
      const summary = yield* aiRuns.summarizeAiRuns({ urlParams: { from, to } })
      const common = { modelID: null, modelName: "summed", averageDurationMs: 100 }
      expect(summary.map((row) => ({ ...row }))).toEqual([
        {
          ...common,
          day: "2020-03-02",
          calls: 1,
          succeeded: 0,
          failed: 0,
          rejected: 1,
          inputTokens: 5,
          outputTokens: 5,
          drafts: 0,
          draftsSent: 0,
          draftsSentUnchanged: 0,
          shareSentUnchanged: null
        },
        {
          ...common,
          day: "2020-03-01",
          calls: 3,
          succeeded: 2,
          failed: 1,
          rejected: 0,
          inputTokens: 4_000_000_030,
          outputTokens: 4_000_000_030,
          drafts: 2,
          draftsSent: 2,
          draftsSentUnchanged: 1,
          shareSentUnchanged: 0.5
        }
      ])
      const recent = yield* aiRuns.summarizeAiRuns({ urlParams: {} })
      expect(recent.length).toBeGreaterThan(0)
      expect(recent.every(({ day }) => day > "2021")).toBe(true)
    })
  )

  it.effect("are hidden from other customers", () =>
    Effect.gen(function* () {
      const run = yield* detected('{"topicIDs":[]}')
      const { aiRuns } = yield* clientOf("globex-admin")
      expect(yield* Effect.flip(aiRuns.getAiRun({ path: { id: AiRunID.make(run.aiRunID) } }))).toMatchObject({
        status: 404
      })
      const { ticketMessageID } = run
      if (ticketMessageID === null) return yield* Effect.dieMessage("incomplete")
      const theirs = yield* aiRuns.listAiRuns({ urlParams: { ticketMessageId: ticketMessageID } })
      expect(theirs.totalCount).toBe(0)
    })
  )
})
