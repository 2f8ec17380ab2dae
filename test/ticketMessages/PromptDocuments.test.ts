import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { DocumentCreate } from "../../schema/Documents.ts"
import type { DocumentID, TicketMessageID } from "../../schema/Ids.ts"
import type { PromptDocumentsQuery } from "../../schema/TicketMessageBodies.ts"
import type { TopicDocumentCreate } from "../../schema/TopicDocuments.ts"
import { answering } from "../support/Hostile.ts"
import { clientOf } from "../support/TestApp.ts"
import { retrievalOf, upstreamApp } from "../support/UpstreamApp.ts"
import { UpstreamServer } from "../support/UpstreamServer.ts"
import { channelOf } from "../tickets/TicketTools.ts"
import { fresh, newTopic } from "../topics/Mappings.ts"
import { newMessage } from "./MessageTools.ts"

const documentOf = (fields: Partial<DocumentCreate> = {}) =>
  Effect.flatMap(clientOf("acme-admin"), ({ documents }) =>
    documents.createDocument({ payload: { name: fresh("Document"), isDataRetrievalProcess: false, ...fields } })
  ).pipe(Effect.map(({ documentID }) => documentID))

const attach = (documentID: DocumentID, to: Omit<TopicDocumentCreate, "documentID">) =>
  Effect.flatMap(clientOf("acme-admin"), ({ topicDocuments }) =>
    topicDocuments.createTopicDocument({ payload: { ...to, documentID } })
  )

const promptOf = (id: TicketMessageID, urlParams: PromptDocumentsQuery = {}) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessagesOnPhone }) =>
    ticketMessagesOnPhone.listPromptDocuments({ path: { id }, urlParams })
  ).pipe(Effect.map(({ promptDocuments }) => promptDocuments))

/** A chat message with a topic of its own. */
const aMessage = Effect.gen(function* () {
  const { ticketMessages } = yield* clientOf("acme-admin")
  const { topicID } = yield* newTopic("acme-admin")
  const message = yield* newMessage({
    channelID: yield* channelOf("Chat"),
    message: "Where is my order?",
    subject: "Order",
    fromName: "Olga Order",
    fromAddress: "olga@mail.example"
  })
  yield* ticketMessages.correctTopics({ path: { id: message.messageID }, payload: { topicIds: [topicID] } })
  return { ...message, topicID }
})

const ids = (list: ReadonlyArray<{ readonly documentID: DocumentID }>) => list.map(({ documentID }) => documentID)

layer(upstreamApp(), { excludeTestServices: true })("The documents for a prompt", (it) => {
  it.effect("are those of the message's topics, of the hook on its channel, and those for all, best first", () =>
    Effect.gen(function* () {
      const { topicDocuments } = yield* clientOf("acme-admin")
      const { items } = yield* topicDocuments.listTopicDocuments({ urlParams: { hookName: "All", pageSize: 200 } })
      for (const { topicDocumentID } of items)
        yield* topicDocuments.deleteTopicDocument({ path: { id: topicDocumentID } })
      const { messageID, topicID } = yield* aMessage
      const other = yield* newTopic("acme-admin")
      const [good, best, unranked, elsewhere, twice] = [
        yield* documentOf(),
        yield* documentOf(),
        yield* documentOf(),
        yield* documentOf(),
        yield* documentOf()
      ]
      yield* attach(good, { topicID, relevanceScore: 5 })
      yield* attach(best, { topicID, relevanceScore: 9 })
      yield* attach(unranked, { topicID })
      yield* attach(elsewhere, { topicID: other.topicID, relevanceScore: 99 })
      yield* attach(twice, { topicID, relevanceScore: 1 })
      yield* attach(twice, { hookName: "OnEscalate", relevanceScore: 7 })
      expect(ids(yield* promptOf(messageID))).toEqual([best, good, twice, unranked])
      expect(ids(yield* promptOf(messageID, { hookName: "onescalate" }))).toEqual([best, twice, good, unranked])

      const [onChat, onThis, onMail, forAll, forMail] = [
        yield* documentOf(),
        yield* documentOf(),
        yield* documentOf(),
        yield* documentOf(),
        yield* documentOf()
      ]
      const hookName = "my-hook"
      yield* attach(onChat, { hookName, specialChannel: "Chat", relevanceScore: 20 })
      yield* attach(onThis, { hookName, channelID: yield* channelOf("Chat"), relevanceScore: 19 })
      yield* attach(onMail, { hookName, specialChannel: "Email", relevanceScore: 50 })
      yield* attach(forAll, { hookName: "All", relevanceScore: 6 })
      yield* attach(forMail, { hookName: "ALL", specialChannel: "Email", relevanceScore: 60 })
      expect(ids(yield* promptOf(messageID, { hookName: "MY-HOOK" }))).toEqual([
        onChat,
        onThis,
        best,
        forAll,
        good,
        twice,
        unranked
      ])
      expect(ids(yield* promptOf(messageID))).toEqual([best, forAll, good, twice, unranked])
      const mail = yield* newMessage()
      expect(ids(yield* promptOf(mail.messageID))).toEqual([forMail, forAll])
      yield* topicDocuments
        .listTopicDocuments({ urlParams: { hookName: "All" } })
        .pipe(
          Effect.flatMap((page) =>
            Effect.forEach(page.items, ({ topicDocumentID }) =>
              topicDocuments.deleteTopicDocument({ path: { id: topicDocumentID } })
            )
          )
        )
    })
  )

  it.effect("have their placeholders filled from the message", () =>
    Effect.gen(function* () {
      const { messageID, ticketID, topicID } = yield* aMessage
      const content =
        "{{Message.text}} {{Message.subject}} #{{Ticket.id}} {{EndUser.firstName}} {{CustomerName}} {{Unknown}}"
      yield* attach(yield* documentOf({ name: "Filled", content }), { topicID })
      yield* attach(yield* documentOf({ name: "Empty" }), { topicID })
      expect((yield* promptOf(messageID)).map(({ content: text, error, title }) => [title, text, error])).toEqual([
        ["Filled", `Where is my order? Order #${ticketID} Olga Acme Rentals {{Unknown}}`, null],
        ["Empty", "", null]
      ])
    })
  )

  it.effect("retrieve their data, or are left out, and one that fails says why and spoils no other", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const { messageID, topicID } = yield* aMessage
      yield* upstream.on("/orders/olga%40mail.example", answering(200, '{"state":"shipped"}'))
      const works = yield* retrievalOf("/orders/{{EndUser.email}}", { name: "Works" })
      const fails = yield* retrievalOf("/missing", { name: "Fails", overrideApiBaseUrl: "http://127.0.0.1:1" })
      const still = yield* documentOf({ name: "Static", content: "Still here" })
      yield* attach(fails, { topicID, relevanceScore: 9 })
      yield* attach(works, { topicID, relevanceScore: 8 })
      yield* attach(still, { topicID, relevanceScore: 7 })
      const [first, second, third] = yield* promptOf(messageID)
      expect(first).toMatchObject({ title: "Fails", content: "", error: expect.stringMatching(/\w+/) })
      expect(second).toMatchObject({ title: "Works", content: '{"state":"shipped"}', error: null })
      expect(third).toMatchObject({ title: "Static", content: "Still here", error: null })
      const before = (yield* upstream.requests).length
      expect(ids(yield* promptOf(messageID, { onlyPromptDocuments: true }))).toEqual([still])
      expect(yield* upstream.requests).toHaveLength(before)
    })
  )

  it.effect("contain nothing of an API's error page, and no NUL", () =>
    Effect.gen(function* () {
      const upstream = yield* UpstreamServer
      const { messageID, topicID } = yield* aMessage
      yield* upstream.on("/down", answering(500, "oops"))
      yield* upstream.on("/unknown", answering(404, "never heard of it"))
      yield* upstream.on("/odd", answering(200, "locker\u0000 4"))
      yield* attach(yield* retrievalOf("/down", { name: "Down" }), { topicID, relevanceScore: 9 })
      yield* attach(yield* retrievalOf("/unknown", { name: "Unknown" }), { topicID, relevanceScore: 8 })
      yield* attach(yield* retrievalOf("/odd", { name: "Odd" }), { topicID, relevanceScore: 7 })
      expect((yield* promptOf(messageID)).map(({ content, error, title }) => [title, content, error])).toEqual([
        ["Down", "", "The API returned status 500."],
        ["Unknown", "", "The API returned status 404."],
        ["Odd", "locker 4", null]
      ])
    })
  )
})
