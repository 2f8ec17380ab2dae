import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { choosing, failingWith, OpenAiServer, openAiApp, saying, sayingLate, setKey } from "../support/OpenAiServer.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { newMessage, readMessage } from "../ticketMessages/MessageTools.ts"
import { doneTo, finishedSteps, nothingLeft, stepsOf } from "./AutomationTools.ts"

const retry = (id: TicketMessageID) =>
  Effect.flatMap(clientOf("acme-agent"), ({ automation }) => automation.retryMessage({ path: { id } }))

const jobsOf = (id: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select status, attempts from job
      where customer_id = 1 and kind = 'RunPipeline' and payload->>'ticketMessageID' = ${String(id)}`
  )

const aiSteps = ["Spam check", "Language", "Topics", "Draft"]

const wellSaid = [
  saying('{"isSpam":false,"reason":"fine"}'),
  saying('{"language":"en"}'),
  saying('{"topicIDs":[]}'),
  saying("Come and get a new one.")
] as const

layer(openAiApp("openai", testApp), { excludeTestServices: true })("A message that a model will never answer", (it) => {
  const [spam, , topics, draft] = wellSaid
  for (const [what, behaviour, failing, next] of [
    ["does not accept the key", failingWith(401), aiSteps, wellSaid],
    // An undetected language is no failure.
    [
      "refuses",
      choosing({ content: null, refusal: "No." }, "stop"),
      ["Spam check", "Topics", "Draft"],
      [spam, topics, draft]
    ]
  ] as const) {
    it.effect(`fails at once when the model ${what}, and is processed again on request`, () =>
      Effect.gen(function* () {
        const server = yield* OpenAiServer
        yield* setKey("sk-test")
        yield* server.does(behaviour)
        const { messageID } = yield* newMessage({ message: "I lost my key" })
        const steps = new Map(yield* finishedSteps(messageID))
        for (const step of failing) expect(steps.get(step)).toMatch(/^Failed: /)
        yield* nothingLeft
        expect(yield* jobsOf(messageID)).toEqual([{ status: "Succeeded", attempts: 1 }])
        expect(yield* server.asked).toHaveLength(aiSteps.length)
        expect((yield* readMessage(messageID)).status).toBe("Failed")

        const [first, ...others] = next
        yield* server.does(first, ...others)
        yield* retry(messageID)
        yield* nothingLeft
        expect(yield* readMessage(messageID)).toMatchObject({ status: "Drafted", aiReply: "Come and get a new one." })
      })
    )
  }

  it.effect("no longer counts as failed once an action has drafted its answer, and can still be retried", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* setKey("sk-test")
      yield* server.does(failingWith(401))
      const { messageID } = yield* newMessage({ message: "I lost my key" })
      yield* finishedSteps(messageID)
      yield* nothingLeft
      expect((yield* readMessage(messageID)).status).toBe("Failed")
      yield* server.does(draft)
      expect(yield* doneTo(messageID, { operation: "DraftReply" })).toMatchObject([{ status: "Done" }])
      const drafted = { status: "Drafted", aiReply: "Come and get a new one." }
      expect(yield* readMessage(messageID)).toMatchObject(drafted)
      yield* server.does(...wellSaid)
      yield* retry(messageID)
      yield* nothingLeft
      expect(yield* stepsOf(messageID)).toContainEqual(["Draft", "Already prepared"])
      expect(yield* readMessage(messageID)).toMatchObject(drafted)
    })
  )

  it.effect(
    "no longer counts as failed once a person has written its answer, whether before or after the failure",
    () =>
      Effect.gen(function* () {
        const server = yield* OpenAiServer
        const { ticketMessages } = yield* clientOf("acme-agent")
        const write = (id: TicketMessageID, aiReply: string | null) =>
          ticketMessages.updateTicketMessage({ path: { id }, payload: { aiReply } })
        yield* setKey("sk-test")
        const refused = failingWith(401)
        yield* server.does(refused)
        const { messageID: first } = yield* newMessage({ message: "I lost my key" })
        yield* finishedSteps(first)
        yield* nothingLeft
        yield* write(first, null)
        expect((yield* readMessage(first)).status).toBe("Failed")
        yield* write(first, "By a person")
        expect((yield* readMessage(first)).status).toBe("Drafted")

        const late = yield* sayingLate("From the model")
        yield* server.does(refused, refused, refused, late.behaviour)
        const { messageID: second } = yield* newMessage({ message: "I lost my key" })
        yield* eventually(server.asked, ({ length }) => length === 4)
        yield* write(second, "By a person")
        yield* late.goOn
        yield* nothingLeft
        expect(yield* readMessage(second)).toMatchObject({ status: "Drafted", aiReply: "By a person" })
      })
  )

  it.effect("is sent to the model twice at most when the answers are unusable", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* setKey("sk-test")
      const [, language] = wellSaid
      yield* server.does(saying("Perhaps."), saying("Perhaps."), language, topics, draft)
      const { messageID } = yield* newMessage({ message: "I lost my key" })
      const steps = new Map(yield* finishedSteps(messageID))
      expect(steps.get("Spam check")).toMatch(/^Failed: .*could not be used/)
      yield* nothingLeft
      expect(yield* jobsOf(messageID)).toEqual([{ status: "Succeeded", attempts: 1 }])
      expect(yield* server.asked).toHaveLength(5)
    })
  )

  it.effect("is skipped without a key, and processed on request once there is one", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* setKey(null)
      const { messageID } = yield* newMessage({ message: "I lost my key" })
      yield* finishedSteps(messageID)
      yield* nothingLeft
      expect((yield* stepsOf(messageID)).filter(([, outcome]) => outcome?.startsWith("Skipped: "))).toHaveLength(4)
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({ status: 409 })
      yield* setKey("sk-test")
      yield* server.does(...wellSaid)
      yield* retry(messageID)
      yield* nothingLeft
      expect(yield* readMessage(messageID)).toMatchObject({ status: "Drafted", aiReply: "Come and get a new one." })
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({ status: 409 })
    })
  )
})
