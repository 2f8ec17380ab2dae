import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { DraftReplies } from "../../src/ticketMessages/DraftReplies.ts"
import { eventually } from "../support/Eventually.ts"
import { OpenAiServer, openAiApp, saying, sayingLate, withKey } from "../support/OpenAiServer.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { DraftTools, postMessage, readMessage } from "./MessageAi.ts"
import { acme } from "./Messages.ts"

const isAsked = Effect.flatMap(OpenAiServer, ({ asked }) => eventually(asked, ({ length }) => length > 0))

/** The number of AI calls that mention a word, one that the random hexadecimal marks in prompts cannot contain. */
const runsTelling = (word: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select 1 from ai_run where customer_id = 1 and (position(${word} in user_prompt || coalesce(output, '')) > 0
        or position(${word} in coalesce(prompt_input::text, '')) > 0)`
  ).pipe(Effect.map(({ length }) => length))

layer(DraftTools.pipe(Layer.provideMerge(openAiApp())), { excludeTestServices: true })(
  "A change while a model is answering",
  (it) => {
    it.effect("keeps the draft that a person wrote until it is cleared", () =>
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
        expect(yield* drafts.prepare(yield* acme, messageID)).toBe(false)
        expect((yield* readMessage("acme-agent", messageID)).aiReply).toBe("By a person")
        const takeBack = ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: null } })
        yield* takeBack
        expect(yield* drafts.prepare(yield* acme, messageID)).toBe(true)
        const drafted = { aiReply: "From the model, later", status: "Drafted" }
        expect(yield* readMessage("acme-agent", messageID)).toMatchObject(drafted)
        yield* takeBack
        expect(yield* readMessage("acme-agent", messageID)).toMatchObject({ aiReply: null, status: "Received" })
      })
    )

    it.effect("does not count a late draft as sent when a person wrote one first", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        const drafts = yield* DraftReplies
        const { aiRuns, ticketMessages } = yield* clientOf("acme-admin")
        const { messageID } = yield* postMessage("acme-agent", { message: "When do you close?" })
        const sentTexts = Effect.map(aiRuns.listAiRuns({ urlParams: { ticketMessageId: messageID } }), ({ items }) =>
          items.map(({ output, sentText }) => [output, sentText])
        )
        yield* server.does(saying("First from the model"))
        expect(yield* drafts.prepare(yield* acme, messageID)).toBe(true)
        const late = yield* sayingLate("Second from the model")
        yield* server.does(late.behaviour)
        const drafting = yield* Effect.fork(drafts.prepare(yield* acme, messageID))
        yield* isAsked
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: "At five" } })
        yield* late.goOn
        expect(yield* Fiber.join(drafting)).toBe(false)
        yield* ticketMessages.sendReply({ path: { id: messageID }, payload: {} })
        expect(yield* sentTexts).toEqual([
          ["Second from the model", null],
          ["First from the model", "At five"]
        ])
      })
    )

    it.effect("counts as sent the draft that was stored, of two that were made at once", () =>
      Effect.gen(function* () {
        yield* withKey
        const sql = yield* SqlClient.SqlClient
        const server = yield* OpenAiServer
        const drafts = yield* DraftReplies
        const { aiRuns, ticketMessages } = yield* clientOf("acme-admin")
        const { messageID } = yield* postMessage("acme-agent", { message: "When do you open?" })
        const [stored, refused] = [yield* sayingLate("At nine"), yield* sayingLate("At ten")]
        yield* server.does(stored.behaviour, refused.behaviour)
        const drafting = (asked: number) =>
          Effect.tap(Effect.fork(Effect.flatMap(acme, (customerID) => drafts.prepare(customerID, messageID))), () =>
            eventually(server.asked, ({ length }) => length === asked)
          )
        const [first, second] = [yield* drafting(1), yield* drafting(2)]
        yield* stored.goOn
        expect(yield* Fiber.join(first)).toBe(true)
        yield* refused.goOn
        expect(yield* Fiber.join(second)).toBe(false)
        // As if both calls were written down before the first draft was stored.
        yield* sql`
          update ai_run set created_at = (select min(created_at) from ai_run
            where customer_id = 1 and ticket_message_id = ${messageID})
          where customer_id = 1 and ticket_message_id = ${messageID}`
        yield* ticketMessages.sendReply({ path: { id: messageID }, payload: {} })
        const { items } = yield* aiRuns.listAiRuns({ urlParams: { ticketMessageId: messageID, sortBy: "aiRunID" } })
        expect(items.map(({ output, sentText }) => [output, sentText])).toEqual([
          ["At nine", "At nine"],
          ["At ten", null]
        ])
      })
    )

    it.effect("removes a deleted or erased message from drafts and AI runs, and asks the model again", () =>
      Effect.gen(function* () {
        yield* withKey
        const sql = yield* SqlClient.SqlClient
        const server = yield* OpenAiServer
        const drafts = yield* DraftReplies
        const { ticketMessages } = yield* clientOf("acme-admin")
        const ways = {
          medlar: (id: TicketMessageID) => ticketMessages.deleteTicketMessage({ path: { id } }),
          rowan: (id: TicketMessageID) =>
            sql`update ticket_message set message = null where customer_id = 1 and ticket_message_id = ${id}`
        }
        for (const [code, remove] of Object.entries(ways)) {
          const first = yield* postMessage("acme-agent", { message: `My code is ${code}.` })
          const { messageID } = yield* postMessage("acme-agent", { ticketID: first.ticketID, message: "Does it work?" })
          const late = yield* sayingLate(`The code ${code} works.`)
          yield* server.does(late.behaviour, saying("It works."))
          const drafting = yield* Effect.fork(drafts.prepare(yield* acme, messageID))
          yield* isAsked
          yield* remove(first.messageID)
          yield* late.goOn
          expect(yield* Fiber.join(drafting)).toBe(true)
          expect((yield* readMessage("acme-agent", messageID)).aiReply).toBe("It works.")
          expect(yield* runsTelling(code)).toBe(0)
        }
      })
    )

    it.effect("leaves no words of the message when the message itself is deleted", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        const drafts = yield* DraftReplies
        const { ticketMessages } = yield* clientOf("acme-admin")
        const { messageID } = yield* postMessage("acme-agent", { message: "My code is sloe." })
        const late = yield* sayingLate("The code sloe works.")
        yield* server.does(late.behaviour)
        const drafting = yield* Effect.fork(Effect.flip(drafts.prepare(yield* acme, messageID)))
        yield* isAsked
        yield* ticketMessages.deleteTicketMessage({ path: { id: messageID } })
        yield* late.goOn
        expect(yield* Fiber.join(drafting)).toMatchObject({ status: 404 })
        expect(yield* runsTelling("sloe")).toBe(0)
      })
    )

    it.effect("does not keep a draft from being sent when a message that it quoted is deleted", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        const drafts = yield* DraftReplies
        const { ticketMessages } = yield* clientOf("acme-admin")
        const first = yield* postMessage("acme-agent", { message: "My code is damson." })
        const { messageID } = yield* postMessage("acme-agent", { ticketID: first.ticketID, message: "Does it work?" })
        yield* server.does(saying("It works."))
        yield* drafts.prepare(yield* acme, messageID)
        yield* ticketMessages.deleteTicketMessage({ path: { id: first.messageID } })
        yield* ticketMessages.sendReply({ path: { id: messageID }, payload: {} })
        expect((yield* readMessage("acme-agent", messageID)).status).toBe("Replied")
      })
    )

    it.effect("leaves no summary that mentions a deleted message", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        const token = yield* tokenOf("acme-admin")
        const first = yield* postMessage("acme-agent", { message: "My code is quince." })
        const { ticketID } = first
        yield* postMessage("acme-agent", { ticketID, message: "Please call me." })
        const late = yield* sayingLate("Somebody told the code quince.")
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
