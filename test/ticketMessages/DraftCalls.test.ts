import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelID, TicketMessageID } from "../../schema/Ids.ts"
import { actionsOf, fire, freshHook, nothingLeft, onHook, resultsOf, stepsOf } from "../automation/AutomationTools.ts"
import { capturedLog } from "../http/CapturedLog.ts"
import { eventually } from "../support/Eventually.ts"
import { answering } from "../support/Hostile.ts"
import { failingWith, OpenAiServer, openAiApp, saying, sayingLate, setKey } from "../support/OpenAiServer.ts"
import { clientOf, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { retrievalOf } from "../support/UpstreamApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"
import { newChannel } from "../topics/Mappings.ts"
import { newMessage, readMessage } from "./MessageTools.ts"

const log = capturedLog()

const loggedApp = (overrides: Readonly<Record<string, string>> = {}) => testNode(TestDatabase, overrides, log.layer)

/** Makes a channel for one test, whose drafts are made of these documents. */
const channelWith = (...calls: ReadonlyArray<readonly [apiMethod: "GET" | "POST" | "DELETE", path: string]>) =>
  Effect.gen(function* () {
    yield* setKey("sk-test")
    const { topicDocuments } = yield* clientOf("acme-admin")
    const channelID = yield* newChannel("acme-admin")
    for (const [apiMethod, path] of calls) {
      const documentID = yield* retrievalOf(`${path}?channel=${channelID}`, { apiMethod })
      yield* topicDocuments.createTopicDocument({ payload: { hookName: "All", channelID, documentID } })
    }
    return channelID
  })

const callsOf = (path: string, channelID: ChannelID) =>
  Effect.flatMap(UpstreamServer, ({ requests }) =>
    Effect.map(requests, (all) => all.filter(({ url }) => url === `${path}?channel=${channelID}`).length)
  )

/** The model's answers up to the draft. */
const upToDraft = [
  saying('{"isSpam":false,"reason":"fine"}'),
  saying('{"language":"en"}'),
  saying('{"topicIDs":[]}')
] as const

const lastPrompt = Effect.flatMap(OpenAiServer, ({ asked }) =>
  Effect.map(asked, (all) => JSON.stringify(all.at(-1)?.messages))
)

const keptFor = (id: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ content: string | null; error: string | null }>`
      select content, error from draft_call
      where customer_id = 1 and ticket_message_id = ${id} order by document_id`
  )

/** Waits until the work on a message has failed and is to be retried, and postpones the retry. */
const held = (id: TicketMessageID) =>
  eventually(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        update job set due_at = now() + interval '1 hour' where customer_id = 1 and status = 'Queued'
          and error is not null and payload->>'ticketMessageID' = ${String(id)} returning 1`
    ),
    (rows) => rows.length === 1
  )

/** Makes the job due as this attempt; for running work, that is what a node does that takes it over. */
const goOn = (id: TicketMessageID, attempts: number, status = "Queued") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update job set status = ${status}, due_at = now(), attempts = ${attempts} where customer_id = 1
        and status in ('Queued', 'Running') and payload->>'ticketMessageID' = ${String(id)}`
  )

const drafted = (id: TicketMessageID) =>
  Effect.zipRight(
    eventually(readMessage(id), ({ status }) => status === "Drafted"),
    nothingLeft
  )

layer(openAiApp("openai", loggedApp), { excludeTestServices: true })("A call for a draft that is not a GET", (it) => {
  it.effect("is made once when the model fails after it, whatever it returned, and again for a new draft", () =>
    Effect.gen(function* () {
      const [server, upstream] = yield* Effect.all([OpenAiServer, UpstreamServer])
      yield* upstream.on("/order", answering(200, `locker\u0000 4 ${"é".repeat(20_000)} the end`))
      yield* upstream.on("/refused", answering(500, "oops"))
      yield* upstream.on("/look", answering(200, "on its way"))
      const channelID = yield* channelWith(["POST", "/order"], ["DELETE", "/refused"], ["GET", "/look"])
      const counts = Effect.forEach(["/order", "/refused", "/look"], (path) => callsOf(path, channelID))
      yield* server.does(...upToDraft, failingWith(500))
      const { messageID } = yield* newMessage({ channelID })
      yield* held(messageID)
      expect(yield* counts).toEqual([1, 1, 1])
      const first = yield* lastPrompt
      expect(first).toContain("locker 4 é")
      // No more of it is kept than a prompt has room for.
      expect(yield* keptFor(messageID)).toEqual([
        { content: expect.stringMatching(/^locker 4 é{7000,8000}\n\[… shortened\]$/), error: null },
        { content: "", error: "The API returned status 500." }
      ])

      yield* upstream.on("/order", answering(200, "locker 5"))
      yield* server.does(saying("It is in locker 4."))
      yield* goOn(messageID, 1)
      yield* drafted(messageID)
      expect(yield* counts).toEqual([1, 1, 2])
      const second = yield* lastPrompt
      expect(second).toContain("locker 4 é")
      expect(second.length).toBe(first.length)
      expect(yield* keptFor(messageID)).toEqual([])

      const hookName = freshHook()
      yield* onHook(hookName, { operation: "DraftReply" })
      yield* fire(hookName, messageID)
      expect(yield* resultsOf(messageID, hookName, 1)).toMatchObject([{ status: "Done" }])
      expect(yield* counts).toEqual([2, 2, 3])
      expect(yield* lastPrompt).toContain("locker 5")
      yield* nothingLeft
      expect(yield* keptFor(messageID)).toEqual([])
    })
  )

  it.effect("is not repeated by a node that takes over in its middle, which drafts without it and says so", () =>
    Effect.gen(function* () {
      const [server, upstream] = yield* Effect.all([OpenAiServer, UpstreamServer])
      let answer = () => {}
      yield* upstream.on("/order", (_, response) => {
        answer = () => void response.end("locker 6")
      })
      const channelID = yield* channelWith(["POST", "/order"])
      yield* server.does(...upToDraft, saying("We look into it."))
      const { messageID } = yield* newMessage({ channelID })
      yield* eventually(callsOf("/order", channelID), (count) => count === 1)
      // It is recorded as begun before it is sent.
      expect(yield* keptFor(messageID)).toEqual([{ content: null, error: null }])
      log.clear()
      yield* goOn(messageID, 1)
      yield* drafted(messageID)
      answer()
      yield* server.deserted
      expect(yield* callsOf("/order", channelID)).toBe(1)
      expect(yield* server.asked).toHaveLength(4)
      expect(yield* lastPrompt).not.toContain("locker")
      expect(yield* readMessage(messageID)).toMatchObject({ aiReply: "We look into it." })
      expect(log.entries().filter(({ message }) => /call.*interrupted/.test(String(message)))).toMatchObject([
        { logLevel: "WARN", annotations: { ticketMessageID: messageID } }
      ])
      expect(yield* keptFor(messageID)).toEqual([])
    })
  )

  it.effect("leaves nothing behind when the draft fails for good or is given up, and is made again on request", () =>
    Effect.gen(function* () {
      const [server, upstream] = yield* Effect.all([OpenAiServer, UpstreamServer])
      const { automation } = yield* clientOf("acme-agent")
      yield* upstream.on("/order", answering(200, "locker 7"))
      const channelID = yield* channelWith(["POST", "/order"])
      yield* server.does(...upToDraft, failingWith(500))
      const { messageID } = yield* newMessage({ channelID })
      yield* held(messageID)
      expect(yield* keptFor(messageID)).toHaveLength(1)
      yield* goOn(messageID, 9)
      yield* eventually(readMessage(messageID), ({ status }) => status === "Failed")
      yield* nothingLeft
      expect(yield* stepsOf(messageID)).toContainEqual(["Draft", expect.stringMatching(/^Failed: /)])
      expect(yield* callsOf("/order", channelID)).toBe(1)
      expect(yield* keptFor(messageID)).toEqual([])

      yield* automation.retryMessage({ path: { id: messageID } })
      yield* held(messageID)
      expect(yield* callsOf("/order", channelID)).toBe(2)
      expect(yield* keptFor(messageID)).toHaveLength(1)
      yield* goOn(messageID, 10, "Running")
      yield* eventually(stepsOf(messageID), (steps) => steps.some(([what]) => what === "Given up"))
      yield* nothingLeft
      expect(yield* callsOf("/order", channelID)).toBe(2)
      expect(yield* keptFor(messageID)).toEqual([])

      const hookName = freshHook()
      yield* onHook(hookName, { operation: "DraftReply" })
      const late = yield* sayingLate("Too late")
      yield* server.does(late.behaviour)
      yield* fire(hookName, messageID)
      yield* eventually(server.asked, ({ length }) => length === 1)
      yield* goOn(messageID, 10, "Running")
      yield* nothingLeft
      yield* late.goOn
      expect((yield* actionsOf(messageID)).at(-1)).toMatchObject({ hookName, status: "Failed" })
      expect(yield* keptFor(messageID)).toEqual([])
    })
  )

  it.effect("is made once by an action as well, even when the action could not be recorded as done", () =>
    Effect.gen(function* () {
      const [server, upstream, sql] = yield* Effect.all([OpenAiServer, UpstreamServer, SqlClient.SqlClient])
      yield* upstream.on("/order", answering(200, "locker 8"))
      const channelID = yield* channelWith(["POST", "/order"])
      yield* server.does(...upToDraft, saying("First"))
      const { messageID } = yield* newMessage({ channelID })
      yield* drafted(messageID)
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "DraftReply", name: "Draft anew" })
      const late = yield* sayingLate("Too late")
      yield* server.does(late.behaviour, saying("Second"), saying("Third"))
      yield* sql.unsafe(`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
        create trigger refuse before update on message_action for each row
          when (new.name = 'Draft anew' and new.status = 'Done') execute function refuse()`)
      yield* fire(hookName, messageID)
      yield* eventually(server.asked, ({ length }) => length === 1)
      expect(yield* callsOf("/order", channelID)).toBe(2)
      yield* goOn(messageID, 1)
      yield* held(messageID)
      yield* late.goOn
      expect(yield* readMessage(messageID)).toMatchObject({ aiReply: "Second" })
      yield* sql.unsafe("drop trigger refuse on message_action")
      yield* goOn(messageID, 2)
      yield* nothingLeft
      const action = (yield* actionsOf(messageID)).find((one) => one.hookName === hookName)
      expect(action).toMatchObject({ status: "Done", error: null })
      expect(yield* readMessage(messageID)).toMatchObject({ aiReply: "Third" })
      expect(yield* lastPrompt).toContain("locker 8")
      expect(yield* callsOf("/order", channelID)).toBe(2)
      expect(yield* keptFor(messageID)).toEqual([])
    })
  )

  it.effect("is forgotten with its message", () =>
    Effect.gen(function* () {
      const [server, upstream] = yield* Effect.all([OpenAiServer, UpstreamServer])
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* upstream.on("/order", answering(200, "locker 9"))
      const channelID = yield* channelWith(["POST", "/order"])
      yield* server.does(...upToDraft, failingWith(500))
      const { messageID } = yield* newMessage({ channelID })
      yield* held(messageID)
      expect(yield* keptFor(messageID)).toHaveLength(1)
      yield* ticketMessages.deleteTicketMessage({ path: { id: messageID } })
      expect(yield* keptFor(messageID)).toEqual([])
    })
  )
})
