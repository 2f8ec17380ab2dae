import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { DraftReplies } from "../../src/ticketMessages/DraftReplies.ts"
import { readTicket } from "../automation/AutomationTools.ts"
import { eventually } from "../support/Eventually.ts"
import { answering } from "../support/Hostile.ts"
import { failingWith, OpenAiServer, openAiApp, saying, sayingLate, withKey } from "../support/OpenAiServer.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { retrievalOf } from "../support/UpstreamApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"
import { settledAnswer } from "../ticketMessages/MessageTools.ts"
import { newChannel } from "../topics/Mappings.ts"
import { DraftTools, postMessage } from "./MessageAi.ts"
import { acme } from "./Messages.ts"

const promptsAsked = Effect.flatMap(OpenAiServer, ({ asked }) =>
  Effect.map(asked, (all) => all.map(({ messages }) => String(messages[1]?.content)))
)

const unmarked = (prompt: string | undefined) => prompt?.replace(/<<<[0-9a-f]{24} /g, "<<<")

layer(DraftTools.pipe(Layer.provideMerge(openAiApp())), { excludeTestServices: true })(
  "The material of a draft",
  (it) => {
    it.effect("is retrieved only as far as it is used, kept for replays, and the trace names what is missing", () =>
      Effect.gen(function* () {
        yield* withKey
        const [server, upstream, sql] = yield* Effect.all([OpenAiServer, UpstreamServer, SqlClient.SqlClient])
        const { aiRuns, automation, topicDocuments } = yield* clientOf("acme-admin")
        const channelID = yield* newChannel("acme-admin")
        const paths = Array.from({ length: 16 }, (_, index) => `/material/${index}`)
        for (const [index, path] of paths.entries()) {
          yield* upstream.on(
            path,
            index === 2 ? answering(500, "oops") : answering(200, `${index} ${"z".repeat(300_000)}`)
          )
          const documentID = yield* retrievalOf(path, { name: `Order ${index}`, apiMethod: "POST" })
          const payload = { hookName: "All", channelID, documentID, relevanceScore: 100 - index }
          yield* topicDocuments.createTopicDocument({ payload })
        }
        const { messageID } = yield* postMessage("acme-agent", { channelID, message: "Where is my order?" })
        yield* server.does(saying("It is on its way."))
        expect(yield* (yield* DraftReplies).prepare(yield* acme, messageID)).toBe(true)
        // The twelve best documents that returned something, and the one that failed.
        const called = (yield* upstream.requests).filter(({ url }) => url.startsWith("/material/"))
        expect(called.map(({ url }) => url).sort()).toEqual(paths.slice(0, 13).sort())
        const [prompt] = yield* promptsAsked
        expect(prompt?.match(/ document>>>/g)).toHaveLength(12)

        const { items } = yield* aiRuns.listAiRuns({ urlParams: { ticketMessageId: messageID } })
        expect(items).toHaveLength(1)
        const [kept] = yield* sql<{ length: number }>`
        select length(prompt_input::text) as length from ai_run where customer_id = 1 and ticket_message_id = ${messageID}`
        expect(kept?.length).toBeLessThan(12 * 8_000 + 2_000)
        const path = { id: (yield* Effect.fromNullable(items[0])).aiRunID }
        yield* aiRuns.replayAiRun({ path, payload: { promptVersion: "draft-1" } })
        expect(unmarked((yield* promptsAsked)[1])).toBe(unmarked(prompt))

        const { entries } = yield* automation.getMessageTrace({ path: { id: messageID } })
        const ready = entries.filter(({ what }) => what === "DraftReady")
        expect(ready).toMatchObject([
          { type: "Event", outcome: expect.stringMatching(/Order 2 .*The API returned status 500\./) }
        ])
      })
    )

    it.effect("lists earlier messages in the order of their dates", () =>
      Effect.gen(function* () {
        yield* withKey
        const [server, sql] = yield* Effect.all([OpenAiServer, SqlClient.SqlClient])
        yield* server.does(saying("Summed up."))
        const late = yield* postMessage("acme-agent", { subject: "Nuts", message: "walnut" })
        const { ticketID } = late
        const early = yield* postMessage("acme-agent", { ticketID, message: "almond" })
        const last = yield* postMessage("acme-agent", { ticketID, message: "hazel" })
        for (const [id, date] of [
          [late.messageID, "2026-03-02T09:00:00Z"],
          [early.messageID, "2026-03-01T09:00:00Z"],
          [last.messageID, "2026-03-03T09:00:00Z"]
        ] as const) {
          yield* sql`update ticket_message set message_date = ${date}::timestamptz
          where customer_id = 1 and ticket_message_id = ${id}`
        }
        yield* (yield* DraftReplies).prepare(yield* acme, last.messageID)
        yield* (yield* clientOf("acme-admin")).ticketSummaries.getHistorySummary({ path: { id: ticketID } })
        const [draft, summary] = yield* promptsAsked
        expect(draft?.match(/walnut|almond/g)).toEqual(["almond", "walnut"])
        expect(summary?.match(/walnut|almond|hazel/g)).toEqual(["almond", "walnut", "hazel"])
      })
    )

    it.effect("is summarised once for concurrent requests, also when the model fails", () =>
      Effect.gen(function* () {
        yield* withKey
        const server = yield* OpenAiServer
        const token = yield* tokenOf("acme-agent")
        const { ticketID } = yield* postMessage("acme-agent", { message: "I lost my key." })
        const six = Effect.all(
          Array.from({ length: 6 }, () => sendJson("GET", `/tickets/${ticketID}/history-summary`, { token })),
          { concurrency: 6 }
        )
        yield* server.does(failingWith(401))
        expect((yield* six).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 502))

        const late = yield* sayingLate("A key is lost.")
        yield* server.does(late.behaviour)
        const [answers] = yield* Effect.all(
          [
            six,
            Effect.zipRight(
              eventually(server.asked, ({ length }) => length > 0),
              late.goOn
            )
          ],
          { concurrency: 2 }
        )
        expect(answers.map(({ json }) => json)).toEqual(Array.from({ length: 6 }, () => "A key is lost."))
        expect(yield* server.asked).toHaveLength(1)
      })
    )

    it.effect("leaves out answers that were never delivered, which cannot be liked either", () =>
      Effect.gen(function* () {
        yield* withKey
        const [server, mailer] = yield* Effect.all([OpenAiServer, TestMailer])
        const { ticketMessages, ticketSummaries } = yield* clientOf("acme-agent")
        const first = yield* postMessage("acme-agent", {
          message: "May I keep a dog?",
          fromAddress: "dog@home.example"
        })
        const { ticketID } = first
        const answer = (messageID: TicketMessageID, modifiedAnswer: string, status: string) =>
          Effect.zipRight(
            ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer } }),
            settledAnswer(ticketID, status)
          )
        const arrived = yield* answer(first.messageID, "We will see", "Sent")
        const second = yield* postMessage("acme-agent", { ticketID, message: "And?" })
        yield* mailer.fail(Object.assign(new Error("no such user"), { code: "EENVELOPE", responseCode: 550 }))
        const lost = yield* answer(second.messageID, "The refund is approved", "Failed")
        yield* mailer.fail()
        const summary = ticketSummaries.getHistorySummary({ path: { id: ticketID } })
        yield* server.does(saying("Somebody has a dog."), saying("Asked once more for nothing."))
        expect([yield* summary, yield* summary]).toEqual(["Somebody has a dog.", "Somebody has a dog."])
        const { messageID } = yield* postMessage("acme-agent", { ticketID, message: "Hello?" })
        yield* server.does(saying("Hello."))
        expect(yield* (yield* DraftReplies).prepare(yield* acme, messageID)).toBe(true)
        const prompt = (yield* promptsAsked).at(-1)
        expect(prompt).toContain("We will see")
        expect(prompt).not.toContain("The refund is approved")

        const { ticketToken } = yield* readTicket(ticketID)
        yield* sendJson("GET", `/ticketMessages/${ticketToken}/like-dislike?like=true`)
        const sql = yield* SqlClient.SqlClient
        const liked = yield* sql<{ id: number }>`
          select ticket_message_id as id from ticket_message where customer_id = 1 and ticket_id = ${ticketID} and liked`
        expect(liked.map(({ id }) => id)).toEqual([arrived?.messageID])
        expect(lost?.messageID).not.toBe(arrived?.messageID)
      })
    )
  }
)
