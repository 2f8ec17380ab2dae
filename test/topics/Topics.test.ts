import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { numberIn } from "../support/Fields.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh, newAction, newDocument, newTopic, phoneToken, refusedPaths } from "./Mappings.ts"

layer(testApp(), { excludeTestServices: true })("Topics", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { topics } = yield* clientOf("acme-admin")
      const name = fresh("Parking")
      const topic = yield* topics.createTopic({ payload: { name, description: "where to park" } })
      expect(topic).toMatchObject({ name, description: "where to park" })
      const path = { id: topic.topicID }
      expect(yield* topics.getTopic({ path })).toEqual(topic)

      yield* topics.updateTopic({ path, payload: { name: `${name}!` } })
      expect(yield* topics.getTopic({ path })).toEqual({ ...topic, name: `${name}!` })
      yield* topics.updateTopic({ path, payload: { name, description: null } })
      expect(yield* topics.getTopic({ path })).toEqual({ ...topic, description: null })

      yield* topics.deleteTopic({ path })
      expect(yield* Effect.flip(topics.getTopic({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(topics.deleteTopic({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(topics.updateTopic({ path, payload: { name } }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("return 200 on create and 204 on change and delete", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-agent")
      const name = fresh("Spelled")
      const created = yield* sendJson("POST", "/api/topics", { token, body: { NAME: ` ${name} ` } })
      expect(created.status).toBe(200)
      expect(created.json).toEqual({
        topicID: expect.any(Number),
        customerID: expect.any(Number),
        name,
        description: null
      })
      const path = `/api/Topics/${numberIn(created.json, "topicID")}`
      const changed = yield* sendJson("PUT", path, { token, body: { name: fresh("Changed") } })
      expect([changed.status, changed.text]).toEqual([204, ""])
      const deleted = yield* sendJson("DELETE", path, { token })
      expect([deleted.status, deleted.text]).toEqual([204, ""])
    })
  )

  it.effect("have names that are unique in any case, within the customer", () =>
    Effect.gen(function* () {
      const { topics } = yield* clientOf("acme-admin")
      const name = fresh("Garage")
      yield* topics.createTopic({ payload: { name } })
      const other = yield* newTopic("acme-admin")
      const payload = { name: name.toUpperCase() }
      expect(yield* Effect.flip(topics.createTopic({ payload }))).toMatchObject({ status: 409 })
      const path = { id: other.topicID }
      expect(yield* Effect.flip(topics.updateTopic({ path, payload }))).toMatchObject({ status: 409 })
      yield* topics.updateTopic({ path, payload: { name: other.name.toUpperCase() } })
      expect(yield* newTopic("globex-admin", name)).toMatchObject({ name })
    })
  )

  it.effect("require a name that is text", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      for (const body of [{}, { name: "  " }, { name: 5 }, { name: null }, { name: "x".repeat(256) }]) {
        expect(yield* refusedPaths("POST", "/api/Topics", token, body)).toEqual(["name"])
        expect(yield* refusedPaths("PUT", `/api/Topics/${topicID}`, token, body)).toEqual(["name"])
      }
    })
  )

  it.effect("are listed in pages, by name and in any order that is asked for", () =>
    Effect.gen(function* () {
      const { topics } = yield* clientOf("globex-admin")
      const wanted = ["zz b", "ZZ a", "zz C"]
      for (const name of wanted) yield* topics.createTopic({ payload: { name, description: `about ${name}` } })
      const { items, totalCount } = yield* topics.listTopics({ urlParams: { pageSize: 200 } })
      const names = items.map(({ name }) => name)
      expect(names.slice(-3)).toEqual(["ZZ a", "zz b", "zz C"])
      expect(totalCount).toBe(items.length)

      for (const sortBy of ["name", "description"] as const) {
        const page = yield* topics.listTopics({ urlParams: { sortBy, sortOrder: "desc", pageSize: 200 } })
        const ours = page.items.filter(({ name }) => wanted.includes(name)).map(({ name }) => name)
        expect(ours).toEqual(["zz C", "zz b", "ZZ a"])
      }
      const byId = yield* topics.listTopics({ urlParams: { sortBy: "topicID", sortOrder: "desc", pageSize: 3 } })
      expect(byId.items.map(({ name }) => name)).toEqual([...wanted].reverse())
      expect(byId.totalPages).toBe(Math.ceil(totalCount / 3))
      const second = yield* topics.listTopics({ urlParams: { pageNumber: 2, pageSize: 2 } })
      expect(second.items.map(({ name }) => name)).toEqual(names.slice(2, 4))
      const behind = yield* topics.listTopics({ urlParams: { pageNumber: 1000 } })
      expect(behind).toMatchObject({ items: [], totalCount })
    })
  )

  it.effect("refuse invalid paging", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      for (const query of ["sortBy=colour", "sortOrder=up", "pageSize=0", "pageSize=201", "pageNumber=0"]) {
        const [field] = query.split("=")
        expect(yield* refusedPaths("GET", `/api/Topics?${query}`, token)).toEqual([field])
      }
    })
  )

  it.effect("cannot be seen or changed by another customer", () =>
    Effect.gen(function* () {
      const { topicID } = yield* newTopic("globex-admin")
      const { topics } = yield* clientOf("acme-admin")
      const path = { id: topicID }
      expect(yield* Effect.flip(topics.getTopic({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(topics.updateTopic({ path, payload: { name: "mine" } }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(topics.deleteTopic({ path }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("are closed to phone tokens", () =>
    Effect.gen(function* () {
      const token = yield* phoneToken
      for (const path of ["/api/Topics", "/api/TopicActions", "/api/TopicDocuments", "/api/PageTopicMappings"]) {
        expect((yield* sendJson("GET", path, { token })).status).toBe(403)
        expect((yield* sendJson("GET", path)).status).toBe(401)
      }
    })
  )

  it.effect("are deleted together with their mappings", () =>
    Effect.gen(function* () {
      const client = yield* clientOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const documentID = yield* newDocument("acme-admin")
      const action = yield* client.topicActions.createTopicAction({
        payload: { topicID, actionID, priority: 1, isActive: true }
      })
      const document = yield* client.topicDocuments.createTopicDocument({ payload: { topicID, documentID } })
      const page = yield* client.pageTopicMappings.createPageTopicMapping({
        payload: { topicID, pageUrl: "https://acme.example/gone" }
      })
      yield* client.topics.deleteTopic({ path: { id: topicID } })
      const gone = yield* Effect.all([
        Effect.flip(client.topicActions.getTopicAction({ path: { id: action.topicActionID } })),
        Effect.flip(client.topicDocuments.getTopicDocument({ path: { id: document.topicDocumentID } })),
        Effect.flip(client.pageTopicMappings.getPageTopicMapping({ path: { id: page.pageTopicMappingID } }))
      ])
      expect(gone).toMatchObject([{ status: 404 }, { status: 404 }, { status: 404 }])
      yield* client.actions.getAction({ path: { id: actionID } })
    })
  )
})
