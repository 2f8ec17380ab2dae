import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { DraftReplies } from "../../src/ticketMessages/DraftReplies.ts"
import { bomb, flooding, hanging } from "../support/Hostile.ts"
import { choosing, OpenAiServer, openAiApp, respondingInPart, saying, withKey } from "../support/OpenAiServer.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import type { Behaviour } from "../support/UpstreamServer.ts"
import { DraftTools, postMessage, readMessage } from "./MessageAi.ts"
import { acme } from "./Messages.ts"

const translate = Effect.flatMap(tokenOf("acme-agent"), (token) =>
  sendJson("POST", "/api/Translations/translate", { token, body: { sourceText: "Hello", targetLang: "de" } })
)

const lastRun = Effect.gen(function* () {
  const { aiRuns } = yield* clientOf("acme-admin")
  const { items, totalCount } = yield* aiRuns.listAiRuns({ urlParams: { pageSize: 1 } })
  return { ...items[0], totalCount }
})

const part = "Dear customer, your refund of"

const broken: ReadonlyArray<readonly [name: string, Behaviour, message: RegExp, output: string]> = [
  ["is cut off", choosing({ content: part }, "length"), /cut off/, part],
  ["is stopped by a filter", choosing({ content: part }, "content_filter"), /filter stopped/, part],
  ["is stopped by a filter at once", choosing({ content: null }, "content_filter"), /filter stopped/, ""],
  ["is a refusal", choosing({ content: null, refusal: "I will not." }, "stop"), /refused/, "I will not."],
  ["is a refusal beside nothing", choosing({ content: "", refusal: "I will not." }, "stop"), /refused/, "I will not."],
  ["is nothing", choosing({ content: null }, "tool_calls"), /empty answer/, ""],
  ["is cut off elsewhere", respondingInPart({ text: part }, "max_output_tokens"), /cut off/, part],
  ["is stopped by a filter elsewhere", respondingInPart({ text: part }, "content_filter"), /filter stopped/, part],
  ["is a refusal elsewhere", respondingInPart({ type: "refusal", refusal: "No." }), /refused/, "No."],
  [
    "has a NUL in its refusal",
    choosing({ content: null, refusal: "I\u0000 will not." }, "stop"),
    /refused/,
    "I will not."
  ]
]

layer(DraftTools.pipe(Layer.provideMerge(openAiApp())), { excludeTestServices: true })("An AI answer", (it) => {
  for (const [name, behaviour, message, output] of broken) {
    it.effect(`is refused when it ${name}, and the ledger keeps its tokens`, () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        yield* server.does(behaviour)
        const answer = yield* translate
        expect([answer.status, answer.text]).toEqual([500, expect.stringMatching(message)])
        expect(yield* server.asked).toHaveLength(1)
        expect(yield* lastRun).toMatchObject({
          outcome: "Rejected",
          error: expect.stringMatching(message),
          output,
          inputTokens: 500,
          outputTokens: 9
        })
      })
    )
  }

  it.effect("does not become a draft when a filter stopped it", () =>
    Effect.gen(function* () {
      yield* withKey
      const server = yield* OpenAiServer
      const drafts = yield* DraftReplies
      const { messageID } = yield* postMessage("acme-agent", { message: "Where is my refund?" })
      yield* server.does(choosing({ content: part }, "content_filter"))
      expect(yield* Effect.flip(drafts.prepare(yield* acme, messageID))).toMatchObject({ status: 502 })
      expect((yield* readMessage("acme-agent", messageID)).aiReply).toBeNull()
    })
  )

  it.effect("is accepted and recorded even when its token counts are unusable", () =>
    Effect.gen(function* () {
      yield* withKey
      const server = yield* OpenAiServer
      for (const [usage, inputTokens, outputTokens] of [
        [{ prompt_tokens: 99_999_999_999, completion_tokens: 3 }, null, 3],
        [{ prompt_tokens: 1.5, completion_tokens: -3 }, null, null],
        [{ prompt_tokens: "12", completion_tokens: 1e300 }, null, null],
        [{ prompt_tokens: 2_147_483_647, completion_tokens: 0 }, 2_147_483_647, 0],
        ["many", null, null],
        [null, null, null]
      ] as const) {
        const { totalCount } = yield* lastRun
        yield* server.does(choosing({ content: "Hallo" }, "stop", usage))
        expect([usage, (yield* translate).json]).toEqual([usage, "Hallo"])
        expect(yield* lastRun).toMatchObject({
          totalCount: totalCount + 1,
          outcome: "Succeeded",
          output: "Hallo",
          inputTokens,
          outputTokens
        })
      }
    })
  )

  it.effect("is broken off when it is larger than 1 MiB, and not asked for again", () =>
    Effect.gen(function* () {
      yield* withKey
      const server = yield* OpenAiServer
      for (const behaviour of [saying("x".repeat(1024 * 1024)), flooding, bomb()]) {
        yield* server.does(behaviour)
        const answer = yield* translate
        expect([answer.status, answer.text]).toEqual([500, expect.stringContaining("too large")])
        expect(yield* server.asked).toHaveLength(1)
        expect(yield* lastRun).toMatchObject({
          outcome: "Failed",
          error: expect.stringContaining("1 MiB"),
          output: null
        })
        yield* server.deserted
      }
      yield* server.does(saying("x".repeat(500_000)))
      expect(String((yield* translate).json)).toHaveLength(500_000)
    })
  )
})

layer(openAiApp("openai", undefined, { total: Duration.seconds(12) }), { excludeTestServices: true })(
  "A provider that never answers",
  (it) => {
    it.effect("fails the calls that wait too long for their turn", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        // Log in first, so that no login counts in the measured time.
        yield* tokenOf("acme-agent")
        yield* server.does(hanging)
        // Two calls run at once; the others would have to wait for them, one after the other.
        const answers = yield* Effect.all(
          Array.from({ length: 7 }, () => translate),
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 500))
        const texts = answers.map(({ text }) => text)
        expect(texts.filter((text) => text.includes("did not respond within 12s"))).toHaveLength(2)
        expect(texts.filter((text) => text.includes("could not start within 6s"))).toHaveLength(5)
        expect(yield* server.asked).toHaveLength(2)
        expect((yield* lastRun).outcome).toBe("Failed")
      })
    )
  }
)
