import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { clientOf } from "../support/TestApp.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"
import { rightsApp, shownTo, workIsDone } from "./RightsTools.ts"

const write = (fields: Parameters<typeof newMessage>[0]) => Effect.tap(newMessage(fields), () => workIsDone)

layer(rightsApp, { excludeTestServices: true })("The export of an end user", (it) => {
  it.effect("shows what was made of its messages, but not other people's messages that models saw with them", () =>
    Effect.gen(function* () {
      const { endUsers, ticketMessages, ticketSummaries, topics } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({
        payload: { FirstName: "Tara", LastName: "Tapir", UIDs: [{ UID: "tapir@people.example" }] }
      })
      const [topic] = (yield* topics.listTopics({ urlParams: {} })).items
      const { name, topicID } = yield* Option.fromNullable(topic)
      const example = yield* write({ fromAddress: "olga@people.example", message: "My ocelot is ill" })
      yield* ticketMessages.correctTopics({ path: { id: example.messageID }, payload: { topicIds: [topicID] } })
      const { ticketID } = yield* write({ fromAddress: "olga@people.example", message: "Where can an ocelot stay?" })
      const fromAddress = "tapir@people.example"
      const inAnothers = yield* write({ ticketID, fromAddress, message: "A tapir can stay with me" })
      yield* ticketSummaries.getHistorySummary({ path: { id: ticketID } })
      yield* ticketMessages.updateTicketMessage({
        path: { id: inAnothers.messageID },
        payload: { aiReply: "The ocelot may, too" }
      })
      const own = yield* write({ fromAddress, message: "The tapir lost its key" })
      const next = yield* write({ ticketID: own.ticketID, fromAddress, message: "And where is its bag?" })
      yield* ticketMessages.correctTopics({ path: { id: own.messageID }, payload: { topicIds: [topicID] } })

      const shown = yield* shownTo(id)
      for (const kind of ["AiRuns", "Messages", "Tickets", "Jobs", "Events"]) {
        expect(JSON.stringify(yield* shown(kind)), kind).not.toContain("ocelot")
      }
      const messages = yield* shown("Messages")
      expect(messages.find(({ messageID }) => messageID === own.messageID)).toMatchObject({ topics: [name] })
      const runs = yield* shown("AiRuns")
      const runOf = (purpose: string, messageID: number) =>
        runs.filter((run) => run["purpose"] === purpose && run["messageID"] === messageID)
      expect(runOf("Topics", own.messageID)).toMatchObject([
        { question: { text: "The tapir lost its key" }, answer: expect.stringContaining("topicIDs") }
      ])
      expect(runOf("Summary", inAnothers.messageID)).toMatchObject([{ question: null, answer: null }])
      // A draft in the end user's own ticket was made of the end user's own words.
      expect(runOf("Draft", next.messageID)).toMatchObject([
        { question: { history: [{ text: "The tapir lost its key" }] }, answer: expect.any(String) }
      ])
    })
  )
})
