import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { DraftReplies } from "../../src/ticketMessages/DraftReplies.ts"
import { eventually } from "../support/Eventually.ts"
import { OpenAiServer, openAiApp, saying, sayingLate } from "../support/OpenAiServer.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { DraftTools, postMessage, readMessage } from "./MessageAi.ts"
import { acme } from "./Messages.ts"

const isAsked = Effect.flatMap(OpenAiServer, ({ asked }) => eventually(asked, ({ length }) => length > 0))

const withKey = Effect.flatMap(clientOf("acme-admin"), ({ customers }) =>
  customers.updateCustomer({ payload: { aiProviderApiKey: "sk-of-acme" } })
)

layer(DraftTools.pipe(Layer.provideMerge(openAiApp())), { excludeTestServices: true })(
  "What changes while a model thinks",
  (it) => {
    it.effect("keeps the draft that a person wrote, and is overwritten by the next one that is asked for", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        const drafts = yield* DraftReplies
        const { ticketMessages } = yield* clientOf("acme-admin")
        const { messageID } = yield* postMessage("acme-agent", { message: "When do you open?" })
        const late = yield* sayingLate("From the model")
        yield* server.does(late.behaviour)
        const drafting = yield* Effect.fork(drafts.prepare(yield* acme, messageID))
        yield* isAsked
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: "By a person" } })
        yield* late.goOn
        expect(yield* Fiber.join(drafting)).toBe(false)
        expect((yield* readMessage("acme-agent", messageID)).aiReply).toBe("By a person")
        yield* server.does(saying("From the model, later"))
        expect(yield* drafts.prepare(yield* acme, messageID)).toBe(true)
        expect((yield* readMessage("acme-agent", messageID)).aiReply).toBe("From the model, later")
      })
    )

    it.effect("and deletes a message keeps no summary that tells of it", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        const token = yield* tokenOf("acme-admin")
        const first = yield* postMessage("acme-agent", { message: "My code is 4711." })
        const { ticketID } = first
        yield* postMessage("acme-agent", { ticketID, message: "Please call me." })
        const late = yield* sayingLate("Somebody told the code 4711.")
        yield* server.does(late.behaviour)
        const summary = sendJson("GET", `/tickets/${ticketID}/history-summary`, { token })
        const summing = yield* Effect.fork(summary)
        yield* isAsked
        expect((yield* sendJson("DELETE", `/ticketMessages/${first.messageID}`, { token })).status).toBe(204)
        yield* late.goOn
        expect((yield* Fiber.join(summing)).status).toBe(200)
        yield* server.does(saying("Somebody wants a call."))
        expect((yield* summary).json).toBe("Somebody wants a call.")
        yield* server.does(saying("Asked once more for nothing."))
        expect((yield* summary).json).toBe("Somebody wants a call.")
      })
    )
  }
)
