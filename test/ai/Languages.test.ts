import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { LanguageOf } from "../../src/ai/LanguageOf.ts"
import { choosing, failingWith, OpenAiServer, openAiApp, saying, withKey } from "../support/OpenAiServer.ts"
import { clientOf } from "../support/TestApp.ts"
import { acme, newMessage } from "./Messages.ts"

const languageOfMessage = Effect.gen(function* () {
  const customerID = yield* acme
  const text = "Onde está a chave?"
  const ticketMessageID = yield* newMessage(customerID, text)
  return yield* (yield* LanguageOf).message({ customerID, ticketMessageID, text })
})

layer(openAiApp(), { excludeTestServices: true })("The language that a model detects", (it) => {
  it.effect("is the base language of the answer, or none when the answer names no known language", () =>
    Effect.gen(function* () {
      yield* withKey
      const server = yield* OpenAiServer
      for (const [answer, language, calls] of [
        ["pt-BR", "pt", 1],
        ["zh_Hant", "zh", 1],
        ["DEU", "de", 1],
        ["und", null, 1],
        ["mul", null, 1],
        ["zxx", null, 1],
        ["Portuguese", null, 2],
        ["", null, 2]
      ] as const) {
        yield* server.does(saying(JSON.stringify({ language: answer })))
        expect([answer, Option.getOrNull(yield* languageOfMessage)]).toEqual([answer, language])
        expect(yield* server.asked).toHaveLength(calls)
      }
      for (const behaviour of [
        saying("I will not answer in JSON"),
        choosing({ content: null, refusal: "No." }, "stop")
      ]) {
        yield* server.does(behaviour)
        expect(yield* languageOfMessage).toEqual(Option.none())
      }
      yield* server.does(failingWith(401))
      expect(yield* Effect.flip(languageOfMessage)).toMatchObject({ status: 502 })
    })
  )

  it.effect("is required for a place: the model is asked once more, then the request fails", () =>
    Effect.gen(function* () {
      yield* withKey
      const server = yield* OpenAiServer
      const { translations } = yield* clientOf("acme-agent")
      const ask = translations.detectLanguage({ urlParams: { country: "Brazil" } })
      yield* server.does(saying('{"language":"und"}'), saying('{"language":"pt-BR"}'))
      expect(yield* ask).toBe("pt")
      yield* server.does(saying('{"language":"und"}'))
      expect(yield* Effect.flip(ask)).toMatchObject({ status: 500 })
      expect(yield* server.asked).toHaveLength(2)
    })
  )
})
