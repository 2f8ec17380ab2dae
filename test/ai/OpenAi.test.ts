import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Schema } from "effect"
import { TopicID } from "../../schema/Ids.ts"
import { AiProvider } from "../../src/ai/AiProvider.ts"
import { Detection } from "../../src/ai/Detection.ts"
import { LanguageOf } from "../../src/ai/LanguageOf.ts"
import { SpamCheck } from "../../src/ai/SpamCheck.ts"
import { eventually } from "../support/Eventually.ts"
import { hanging, trickling } from "../support/Hostile.ts"
import {
  breakingOff,
  failingWith,
  OpenAiServer,
  openAiApp,
  respondingWith,
  saying,
  sayingInParts,
  sayingLate,
  setKey,
  shapeless
} from "../support/OpenAiServer.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import type { Behaviour } from "../support/UpstreamServer.ts"
import { acme, newMessage } from "./Messages.ts"

const key = "sk-test-of-acme"

const translate = (sourceText = "Hello") =>
  Effect.flatMap(tokenOf("acme-agent"), (token) =>
    sendJson("POST", "/api/Translations/translate", { token, body: { sourceText, targetLang: "de" } })
  )

/** The newest rows of the ledger. */
const ledger = (pageSize: number) =>
  Effect.flatMap(clientOf("acme-admin"), ({ aiRuns }) =>
    Effect.map(aiRuns.listAiRuns({ urlParams: { pageSize } }), ({ items }) => items)
  )

const runsInAll = Effect.flatMap(clientOf("acme-admin"), ({ aiRuns }) =>
  Effect.map(aiRuns.listAiRuns({ urlParams: { pageSize: 1 } }), ({ totalCount }) => totalCount)
)

const topics = [
  { topicID: TopicID.make(11), name: "Lost key", description: null },
  { topicID: TopicID.make(12), name: "Repair", description: "Something is broken" }
]

const detectionOf = (text: string) =>
  Effect.gen(function* () {
    const customerID = yield* acme
    const ticketMessageID = yield* newMessage(customerID, text)
    const detection = yield* Detection
    const input = { subject: null, text, pageUrl: null, topics, pageHints: [], corrections: [] }
    return { ticketMessageID, detect: detection.topics({ customerID, ticketMessageID, quotes: [], ...input }) }
  })

const isAskedThreeTimes = (behaviour: Behaviour) =>
  Effect.gen(function* () {
    const server = yield* OpenAiServer
    yield* server.does(behaviour, saying("Hallo"))
    expect((yield* translate()).json).toBe("Hallo")
    expect(yield* server.asked).toHaveLength(2)

    yield* server.does(behaviour)
    const before = yield* runsInAll
    const { json, status } = yield* translate()
    expect([status, json]).toMatchObject([500, { error: "Internal Server Error" }])
    expect(JSON.stringify(json)).toMatch(/AI provider/)
    expect(yield* server.asked).toHaveLength(3)
    expect(yield* runsInAll).toBe(before + 1)
    expect(yield* ledger(1)).toMatchObject([{ outcome: "Failed", output: null, modelName: "gpt-4.1-mini" }])
    yield* server.deserted
  })

// Short enough to be waited for several times, long enough for every attempt to reach the server.
layer(openAiApp("openai", undefined, { attempt: Duration.seconds(4) }), { excludeTestServices: true })(
  "OpenAI that does not answer in time",
  (it) => {
    for (const [name, behaviour] of [
      ["silence", hanging],
      ["an answer that trickles", trickling]
    ] as const) {
      it.effect(`is asked again after ${name}, and gives up after three times`, () =>
        Effect.zipRight(setKey(key), isAskedThreeTimes(behaviour))
      )
    }
  }
)

layer(openAiApp("openai", undefined, { total: Duration.seconds(7) }), { excludeTestServices: true })(
  "OpenAI that asks to be called later",
  (it) => {
    it.effect("is given up when all attempts together take too long", () =>
      Effect.gen(function* () {
        yield* setKey(key)
        const server = yield* OpenAiServer
        // With 4 seconds between attempts, the second one fits into the 7 seconds, and a third never does.
        yield* server.does(failingWith(429, { "retry-after": "4" }))
        const answer = yield* translate()
        expect([answer.status, answer.text]).toEqual([500, expect.stringContaining("within 7s")])
        expect(yield* server.asked).toHaveLength(2)
        expect(yield* ledger(1)).toMatchObject([{ outcome: "Failed", error: expect.stringContaining("within 7s") }])
      })
    )

    it.effect("has no more time when it is asked again for a better answer", () =>
      Effect.gen(function* () {
        yield* setKey(key)
        const server = yield* OpenAiServer
        const later = failingWith(429, { "retry-after": "4" })
        const { detect } = yield* detectionOf("I lost my key")
        // Each attempt takes 4 seconds: the second one is over before the provider is asked for the fourth time.
        yield* server.does(later, saying("nonsense"), later, saying("nonsense"))
        yield* Effect.exit(detect)
        expect(yield* server.asked).toHaveLength(3)
        expect(yield* ledger(2)).toMatchObject([
          { outcome: "Failed", error: expect.stringContaining("within 7s") },
          { outcome: "Rejected" }
        ])
      })
    )
  }
)

layer(openAiApp(), { excludeTestServices: true })("OpenAI", (it) => {
  it.effect("is not asked without a key, and the ledger records the refusal", () =>
    Effect.gen(function* () {
      yield* setKey(null)
      const server = yield* OpenAiServer
      yield* server.does(saying("Hallo"))
      expect(yield* (yield* AiProvider).isConfigured(yield* acme)).toBe(false)
      expect(yield* translate()).toMatchObject({
        status: 400,
        json: { message: expect.stringContaining("aiProviderApiKey") }
      })
      expect(yield* ledger(1)).toMatchObject([
        { outcome: "Failed", modelID: null, error: expect.stringContaining("aiProviderApiKey"), output: null }
      ])
      expect(yield* server.asked).toEqual([])
      yield* setKey(key)
      expect(yield* (yield* AiProvider).isConfigured(yield* acme)).toBe(true)
    })
  )

  it.effect("is asked with the customer's key and model, and may answer in any of its formats", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      for (const behaviour of [saying("Hallo"), sayingInParts("Hal", "lo"), respondingWith(" Hallo\n")]) {
        yield* server.does(behaviour)
        expect((yield* translate("Hello")).json).toBe("Hallo")
      }
      expect(yield* ledger(3)).toMatchObject([
        { outcome: "Succeeded", inputTokens: 90, outputTokens: 5 },
        { outcome: "Succeeded", inputTokens: null, outputTokens: null },
        { outcome: "Succeeded", inputTokens: 120, outputTokens: 7, modelName: "gpt-4.1-mini", output: "Hallo" }
      ])
      const [asked] = yield* server.asked
      expect(asked).toMatchObject({
        model: "gpt-4.1-mini",
        authorization: `Bearer ${key}`,
        messages: [
          { role: "system", content: expect.stringContaining("German") },
          { role: "user", content: expect.stringContaining("Hello") }
        ]
      })
      expect(asked?.response_format).toBeUndefined()
    })
  )

  it.effect("is asked for structured answers by a JSON schema, and may wrap them in a code fence or words", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      const customerID = yield* acme
      const ticketMessageID = yield* newMessage(customerID, "Win!")
      const spam = yield* SpamCheck
      const check = spam.check({ customerID, ticketMessageID, fromAddress: null, subject: null, text: "Win!" })
      const verdict = '{"isSpam":true,"reason":"a prize"}'
      for (const text of [verdict, `\`\`\`json\n${verdict}\n\`\`\``, `Here it is: ${verdict} Anything else?`]) {
        yield* server.does(saying(text))
        expect(yield* check).toEqual({ isSpam: true, reason: "a prize" })
      }
      expect((yield* server.asked)[0]).toMatchObject({
        response_format: {
          type: "json_schema",
          json_schema: {
            name: "Spam",
            strict: true,
            schema: {
              type: "object",
              required: ["isSpam", "reason"],
              properties: { isSpam: { type: "boolean" }, reason: { type: "string" } },
              additionalProperties: false
            }
          }
        }
      })
    })
  )

  const passing: ReadonlyArray<readonly [string, Behaviour]> = [
    ["429", failingWith(429)],
    ["500", failingWith(500)],
    ["503", failingWith(503)],
    ["half a JSON", breakingOff]
  ]
  for (const [name, behaviour] of passing) {
    it.effect(`is asked again after ${name}, and gives up after three times`, () => isAskedThreeTimes(behaviour))
  }

  const lasting: ReadonlyArray<readonly [string, Behaviour, RegExp]> = [
    ["401", failingWith(401), /key/],
    ["403", failingWith(403), /key/],
    ["404", failingWith(404), /does not know the model/],
    ["400", failingWith(400), /as invalid/],
    ["an unknown shape", shapeless, /unknown format/],
    ["a Retry-After that is too long", failingWith(429, { "retry-after": "3600" }), /429/]
  ]
  for (const [name, behaviour, message] of lasting) {
    it.effect(`is asked only once when it answers ${name}`, () =>
      Effect.gen(function* () {
        const server = yield* OpenAiServer
        yield* server.does(behaviour)
        const answer = yield* translate()
        expect([answer.status, answer.text]).toEqual([500, expect.stringMatching(message)])
        expect(answer.text).not.toMatch(/sk-/)
        expect(yield* server.asked).toHaveLength(1)
        const [run] = yield* ledger(1)
        expect(run).toMatchObject({ outcome: "Failed", error: expect.stringMatching(message) })
        expect(run?.error).not.toMatch(/sk-/)
      })
    )
  }

  it.effect("is asked again no sooner than its Retry-After says", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* server.does(failingWith(429, { "retry-after": "1" }), saying("Hallo"))
      const started = Date.now()
      expect((yield* translate()).json).toBe("Hallo")
      expect(Date.now() - started).toBeGreaterThanOrEqual(1000)
      const [run] = yield* ledger(1)
      expect(run?.durationMs).toBeGreaterThanOrEqual(1000)
    })
  )

  it.effect("is asked only once more when an answer is unusable, and the ledger records both calls", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      const unusable = [
        "no JSON at all",
        '{"topicIDs":[11',
        '{"topics":[11]}',
        '{"topicIDs":[99]}',
        '{"topicIDs":["11"]}'
      ]
      for (const text of unusable) {
        yield* server.does(saying(text), saying('{"topicIDs":[12,11,12]}'))
        const healed = yield* detectionOf("The heating is broken")
        expect(yield* healed.detect).toEqual([12, 11])
        expect(yield* ledger(2)).toMatchObject([
          { outcome: "Succeeded", ticketMessageID: healed.ticketMessageID },
          { outcome: "Rejected", ticketMessageID: healed.ticketMessageID, output: text, inputTokens: 120 }
        ])

        yield* server.does(saying(text))
        const lost = yield* detectionOf("The heating is broken")
        expect(yield* Effect.flip(lost.detect)).toMatchObject({ status: 502 })
        expect(yield* server.asked).toHaveLength(2)
        expect(yield* ledger(2)).toMatchObject([
          { outcome: "Rejected", purpose: "Topics", error: expect.stringMatching(/^The answer/) },
          { outcome: "Rejected", purpose: "Topics" }
        ])
      }
    })
  )

  it.effect("is given a schema with the existing topics only", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* server.does(saying('{"topicIDs":[]}'))
      expect(yield* (yield* detectionOf("Hello")).detect).toEqual([])
      const [asked] = yield* server.asked
      expect(JSON.stringify(asked?.response_format)).toContain('"enum":[11,12]')
    })
  )

  it.effect("is not asked about a message without text", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* server.does(saying("nobody asked"))
      const customerID = yield* acme
      const empty = yield* detectionOf("  ")
      expect(yield* empty.detect).toEqual([])
      const { ticketMessageID } = empty
      const language = (yield* LanguageOf).message({ customerID, ticketMessageID, text: "123 !" })
      expect(yield* language).toMatchObject({ _tag: "None" })
      expect(yield* server.asked).toEqual([])
    })
  )

  it.effect("gets the beginning of a text that is too long", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* server.does(saying('{"topicIDs":[11]}'))
      const { detect } = yield* detectionOf("😀".repeat(500_000))
      expect(yield* detect).toEqual([11])
      const [asked] = yield* server.asked
      expect(JSON.stringify(asked).length).toBeLessThan(60_000)
      expect(JSON.stringify(asked)).toContain("shortened")
    })
  )

  it.effect("loses its connection when the caller goes away, and the ledger says so", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* server.does(hanging)
      const before = yield* runsInAll
      const call = yield* Effect.fork(translate())
      yield* eventually(server.asked, (asked) => asked.length === 1)
      yield* Fiber.interrupt(call)
      yield* eventually(runsInAll, (runs) => runs === before + 1)
      expect(yield* ledger(1)).toMatchObject([{ outcome: "Failed", error: "The caller disconnected." }])
      yield* server.deserted
      expect(yield* server.asked).toHaveLength(1)
    })
  )

  it.effect("is timed without the wait for a turn", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      const late = yield* sayingLate("Hallo")
      yield* server.does(late.behaviour, late.behaviour, saying("Hallo"))
      const first = [yield* Effect.fork(translate()), yield* Effect.fork(translate())]
      yield* eventually(server.asked, (asked) => asked.length === 2)
      const before = Date.now()
      const third = yield* Effect.fork(translate())
      yield* Effect.sleep("2 seconds")
      expect(yield* server.asked).toHaveLength(2)
      yield* late.goOn
      yield* Fiber.joinAll([...first, third])
      const durations = (yield* ledger(3)).map(({ durationMs }) => durationMs).sort((one, other) => one - other)
      expect(durations[0]).toBeLessThanOrEqual(Date.now() - before - 2000)
      expect(durations[1]).toBeGreaterThanOrEqual(2000)
    })
  )

  it.effect("gets at most two calls at once from one customer", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      let most = 0
      const waiting: Array<() => void> = []
      yield* server.does((request, response) => {
        waiting.push(() => saying("Hallo")(request, response))
        most = Math.max(most, waiting.length)
        // Two calls are in flight together; the delay gives a third the time to arrive.
        if (waiting.length === 2) {
          setTimeout(() => {
            for (const answer of waiting.splice(0)) answer()
          }, 40)
        }
      })
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, (_, index) => translate(`Hello ${index}`)),
        { concurrency: 8 }
      )
      expect(answers.map(({ json }) => json)).toEqual(Array.from({ length: 8 }, () => "Hallo"))
      expect(most).toBe(2)
    })
  )

  it.effect("gets pictures only with a model that takes them", () =>
    Effect.gen(function* () {
      const server = yield* OpenAiServer
      yield* server.does(saying("<p>ok</p>"))
      const ai = yield* AiProvider
      const customerID = yield* acme
      const call = {
        customerID,
        purpose: "Transform",
        promptVersion: "test-1",
        system: "s",
        user: "u",
        images: [{ contentType: "image/png", bytes: Uint8Array.of(1, 2, 3) }]
      } as const
      expect(yield* ai.text({ ...call, slot: "EmailVision" })).toMatchObject({
        value: "<p>ok</p>",
        modelName: "gpt-4.1"
      })
      expect((yield* server.asked)[0]?.messages[1]).toEqual({
        role: "user",
        content: [
          { type: "text", text: "u" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } }
        ]
      })
      for (const refused of [
        ai.text({ ...call, slot: "EmailText" }),
        ai.text({ ...call, slot: "EmailVision", modelName: "gpt-4.1-mini" })
      ]) {
        expect(yield* Effect.flip(refused)).toMatchObject({
          status: 400,
          message: expect.stringContaining("does not accept pictures")
        })
      }
      expect(yield* server.asked).toHaveLength(1)
    })
  )

  it.effect("is not asked without a model for the usage, or with one that does not exist", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ai = yield* AiProvider
      const customerID = yield* acme
      const call = {
        customerID,
        purpose: "Spam",
        slot: "Spam",
        promptVersion: "test-1",
        system: "s",
        user: "u"
      } as const
      expect(yield* Effect.flip(ai.text({ ...call, modelName: "gpt-9" }))).toMatchObject({
        status: 400,
        details: [{ path: "modelName" }]
      })
      yield* sql`/* all customers: shared */ update model set slots = array_remove(slots, 'Spam')`
      expect(yield* Effect.flip(ai.text(call))).toMatchObject({
        status: 400,
        message: expect.stringContaining("no active AI model for Spam")
      })
      expect(yield* ledger(2)).toMatchObject([
        { outcome: "Failed", modelID: null, modelName: null },
        { outcome: "Failed", modelID: null, modelName: "gpt-9" }
      ])
      yield* sql`/* all customers: shared */ update model set slots = array_append(slots, 'Spam')`
    })
  )

  it.effect("is recorded in the ledger even when the transaction around the call is rolled back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* OpenAiServer
      yield* server.does(saying('{"answer":"yes"}'))
      const ai = yield* AiProvider
      const customerID = yield* acme
      const ask = (version: string, commits: boolean) =>
        Effect.gen(function* () {
          const ticketMessageID = yield* newMessage(customerID, "made in a transaction")
          const { value } = yield* ai.structured(
            {
              customerID,
              ticketMessageID,
              purpose: "Spam",
              slot: "Spam",
              promptVersion: version,
              system: "s",
              user: "u"
            },
            Schema.Struct({ answer: Schema.String })
          )
          expect(value).toEqual({ answer: "yes" })
          return commits ? ticketMessageID : yield* Effect.fail("rolled back")
        }).pipe(sql.withTransaction)
      const { aiRuns } = yield* clientOf("acme-admin")
      const runsOf = (promptVersion: string) =>
        Effect.map(aiRuns.listAiRuns({ urlParams: { promptVersion } }), ({ items }) => items)

      const ticketMessageID = yield* ask("committed", true)
      yield* eventually(runsOf("committed"), (runs) => runs.length === 1)
      expect(yield* runsOf("committed")).toMatchObject([{ ticketMessageID, outcome: "Succeeded" }])

      expect(yield* Effect.flip(ask("rolled-back", false))).toBe("rolled back")
      yield* eventually(runsOf("rolled-back"), (runs) => runs.length === 1)
      expect(yield* runsOf("rolled-back")).toMatchObject([{ ticketMessageID: null, outcome: "Succeeded" }])
    })
  )
})
