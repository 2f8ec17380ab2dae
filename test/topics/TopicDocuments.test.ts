import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldsOf, listIn, numberIn } from "../support/Fields.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh, newChannel, newDocument, newTopic, refusedPaths } from "./Mappings.ts"

layer(testApp(), { excludeTestServices: true })("Topic documents", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { topicDocuments } = yield* clientOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const documentID = yield* newDocument("acme-admin")
      const mapping = yield* topicDocuments.createTopicDocument({ payload: { topicID, documentID } })
      expect(mapping).toMatchObject({ topicID, documentID, relevanceScore: null, hookName: null, channelID: null })
      const path = { id: mapping.topicDocumentID }
      expect(yield* topicDocuments.getTopicDocument({ path })).toEqual(mapping)

      yield* topicDocuments.updateTopicDocument({ path, payload: { relevanceScore: 7 } })
      expect(yield* topicDocuments.getTopicDocument({ path })).toEqual({ ...mapping, relevanceScore: 7 })
      const [otherTopic, otherDocument] = [yield* newTopic("acme-admin"), yield* newDocument("acme-admin")]
      yield* topicDocuments.updateTopicDocument({
        path,
        payload: { topicID: otherTopic.topicID, documentID: otherDocument, relevanceScore: null }
      })
      expect(yield* topicDocuments.getTopicDocument({ path })).toEqual({
        ...mapping,
        topicID: otherTopic.topicID,
        documentID: otherDocument
      })

      yield* topicDocuments.deleteTopicDocument({ path })
      expect(yield* Effect.flip(topicDocuments.getTopicDocument({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(topicDocuments.deleteTopicDocument({ path }))).toMatchObject({ status: 404 })
      const change = topicDocuments.updateTopicDocument({ path, payload: {} })
      expect(yield* Effect.flip(change)).toMatchObject({ status: 404 })
    })
  )

  it.effect("can move between a topic and a hook", () =>
    Effect.gen(function* () {
      const { topicDocuments } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const documentID = yield* newDocument("acme-admin")
      const channelID = yield* newChannel("acme-admin")
      const { topicDocumentID } = yield* topicDocuments.createTopicDocument({ payload: { topicID, documentID } })
      const path = { id: topicDocumentID }
      const url = `/api/TopicDocuments/${topicDocumentID}`

      expect(yield* refusedPaths("PUT", url, token, { hookName: "All" })).toEqual(["hookName"])
      expect(yield* refusedPaths("PUT", url, token, { topicID: null })).toEqual(["topicID"])
      expect(yield* refusedPaths("PUT", url, token, { channelID })).toEqual(["channelID"])
      expect(yield* refusedPaths("PUT", url, token, { documentID: null })).toEqual(["documentID"])
      const toHook = { topicID: null, hookName: "ALL", channelID }
      yield* topicDocuments.updateTopicDocument({ path, payload: toHook })
      const hook = yield* topicDocuments.getTopicDocument({ path })
      expect(hook).toMatchObject({ topicID: null, hookName: "All", channelID, specialChannel: null })
      expect(yield* refusedPaths("PUT", url, token, { topicID, hookName: null })).toEqual(["channelID"])
      yield* topicDocuments.updateTopicDocument({ path, payload: { specialChannel: "Email", channelID: null } })
      yield* topicDocuments.updateTopicDocument({ path, payload: { topicID, hookName: null, specialChannel: null } })
      expect(yield* topicDocuments.getTopicDocument({ path })).toMatchObject({ topicID, hookName: null })
    })
  )

  it.effect("can be written back as they were read, even when their channel is gone", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { channels, topicDocuments } = yield* clientOf("acme-admin")
      const documentID = yield* newDocument("acme-admin")
      const [channelID, other] = [yield* newChannel("acme-admin"), yield* newChannel("acme-admin")]
      const { topicDocumentID } = yield* topicDocuments.createTopicDocument({
        payload: { hookName: "OnSpam", documentID, channelID }
      })
      for (const id of [channelID, other]) yield* channels.deleteChannel({ path: { id } })
      const url = `/api/TopicDocuments/${topicDocumentID}`
      const { json } = yield* sendJson("GET", url, { token })
      const changed = { ...fieldsOf(json), relevanceScore: 2 }
      expect((yield* sendJson("PUT", url, { token, body: changed })).status).toBe(204)
      expect((yield* sendJson("GET", url, { token })).json).toEqual(changed)
      expect(yield* refusedPaths("PUT", url, token, { channelID: other })).toEqual(["channelID"])
    })
  )

  it.effect("are unique", () =>
    Effect.gen(function* () {
      const { topicDocuments } = yield* clientOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const [one, two] = [yield* newDocument("acme-admin"), yield* newDocument("acme-admin")]
      yield* topicDocuments.createTopicDocument({ payload: { topicID, documentID: one } })
      const again = topicDocuments.createTopicDocument({ payload: { topicID, documentID: one, relevanceScore: 3 } })
      expect(yield* Effect.flip(again)).toMatchObject({ status: 409 })
      const other = yield* topicDocuments.createTopicDocument({ payload: { topicID, documentID: two } })
      const path = { id: other.topicDocumentID }
      const collide = topicDocuments.updateTopicDocument({ path, payload: { documentID: one } })
      expect(yield* Effect.flip(collide)).toMatchObject({ status: 409 })
      yield* topicDocuments.updateTopicDocument({ path, payload: { documentID: two } })
    })
  )

  it.effect("refuse ids that are not the customer's own, and invalid bodies", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { topicDocuments } = yield* clientOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const documentID = yield* newDocument("acme-admin")
      const foreign = {
        topicID: (yield* newTopic("globex-admin")).topicID,
        documentID: yield* newDocument("globex-admin"),
        channelID: yield* newChannel("globex-admin")
      }
      const deletedChannel = yield* newChannel("acme-admin", "Chat", { isDeleted: true })
      const create = (body: unknown) => refusedPaths("POST", "/api/TopicDocuments", token, body)
      expect(yield* create({ topicID: foreign.topicID, documentID })).toEqual(["topicID"])
      expect(yield* create({ topicID, documentID: foreign.documentID })).toEqual(["documentID"])
      expect(yield* create({ hookName: "All", documentID, channelID: foreign.channelID })).toEqual(["channelID"])
      expect(yield* create({ hookName: "All", documentID, channelID: deletedChannel })).toEqual(["channelID"])
      expect(yield* create({ topicID, documentID, relevanceScore: "high" })).toEqual(["relevanceScore"])
      expect(yield* create({ documentID })).toEqual(["topicID"])
      expect(yield* create({ relevanceScore: 1 })).toEqual(["documentID", "topicID"])
      expect((yield* topicDocuments.listTopicDocuments({ urlParams: { documentId: documentID } })).totalCount).toBe(0)

      const mapping = yield* topicDocuments.createTopicDocument({ payload: { hookName: "OnSpam", documentID } })
      const url = `/api/TopicDocuments/${mapping.topicDocumentID}`
      const change = (body: unknown) => refusedPaths("PUT", url, token, body)
      expect(yield* change({ documentID: foreign.documentID })).toEqual(["documentID"])
      expect(yield* change({ channelID: foreign.channelID })).toEqual(["channelID"])
      expect(yield* change({ hookName: null, topicID: foreign.topicID })).toEqual(["topicID"])
      expect(yield* change({ topicID, documentID: foreign.documentID })).toEqual(["hookName", "documentID"])
      const nowhere = { ...foreign, hookName: null, topicID: null }
      expect(yield* change(nowhere)).toEqual(["topicID", "channelID", "documentID"])
      expect(yield* topicDocuments.getTopicDocument({ path: { id: mapping.topicDocumentID } })).toEqual(mapping)
      const others = yield* clientOf("globex-admin")
      const path = { id: mapping.topicDocumentID }
      expect(yield* Effect.flip(others.topicDocuments.getTopicDocument({ path }))).toMatchObject({ status: 404 })
      const theirs = others.topicDocuments.updateTopicDocument({ path, payload: { relevanceScore: 1 } })
      expect(yield* Effect.flip(theirs)).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(others.topicDocuments.deleteTopicDocument({ path }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("are listed best first, filtered and sorted", () =>
    Effect.gen(function* () {
      const { topicDocuments } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const [one, two, three] = [
        yield* newDocument("acme-admin"),
        yield* newDocument("acme-admin"),
        yield* newDocument("acme-admin")
      ]
      const channelID = yield* newChannel("acme-admin")
      const hookName = fresh("Hook").replace(" ", "-")
      const ids: Array<number> = []
      for (const payload of [
        { topicID, documentID: one },
        { topicID, documentID: two, relevanceScore: -(2 ** 31) },
        { topicID, documentID: three, relevanceScore: 50 },
        { hookName, documentID: one, relevanceScore: 60, channelID },
        { hookName, documentID: two, relevanceScore: 40, specialChannel: "Chat" as const }
      ]) {
        ids.push((yield* topicDocuments.createTopicDocument({ payload })).topicDocumentID)
      }
      const shown = (query: string) =>
        Effect.map(sendJson("GET", `/api/TopicDocuments?pageSize=200${query}`, { token }), ({ json }) =>
          listIn(json, "items")
            .map((row) => ids.indexOf(numberIn(row, "topicDocumentID")))
            .filter((index) => index >= 0)
        )
      const orders = {
        "": [3, 2, 4, 1, 0],
        [`&topicId=${topicID}`]: [2, 1, 0],
        [`&documentId=${one}`]: [3, 0],
        [`&channelId=${channelID}`]: [3],
        [`&hookName=${hookName.toLowerCase()}`]: [3, 4],
        [`&hookName=${hookName}&documentId=${two}`]: [4],
        "&isHook=true": [3, 4],
        "&isHook=false": [2, 1, 0],
        "&sortOrder=asc": [0, 1, 4, 2, 3],
        "&sortBy=topicDocumentID&sortOrder=asc": [0, 1, 2, 3, 4],
        "&sortBy=documentID&sortOrder=asc": [0, 3, 1, 4, 2],
        "&sortBy=topicID&sortOrder=asc": [3, 4, 0, 1, 2],
        "&sortBy=hookName&sortOrder=asc": [0, 1, 2, 3, 4],
        "&sortBy=channelID&sortOrder=asc": [0, 1, 2, 4, 3],
        "&sortBy=specialChannel&sortOrder=asc": [0, 1, 2, 3, 4]
      }
      for (const [query, order] of Object.entries(orders)) {
        expect([query, yield* shown(query)]).toEqual([query, order])
      }
      const page = yield* topicDocuments.listTopicDocuments({
        urlParams: { topicId: topicID, pageSize: 2, pageNumber: 2 }
      })
      expect(page).toMatchObject({ items: [{ topicDocumentID: ids[0] }], totalCount: 3, totalPages: 2 })
      for (const query of ["isHook=1", "documentId=a", "hookName=%3F", "sortBy=priority"]) {
        expect(yield* refusedPaths("GET", `/api/TopicDocuments?${query}`, token)).toEqual([query.split("=")[0]])
      }
    })
  )
})
