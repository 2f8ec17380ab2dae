import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TopicAction } from "../../schema/TopicActions.ts"
import { textIn } from "../support/Fields.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh, newAction, newTopic, refusedPaths } from "./Mappings.ts"

const bulk = "/api/TopicActions/bulk"

layer(testApp(), { excludeTestServices: true })("Topic actions in bulk", (it) => {
  it.effect("are returned in the order of the list", () =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const body = [
        { hookName: "onspam", actionID, priority: 7, isActive: false },
        { topicID, actionID, priority: 3, isActive: true },
        { hookName: "OnSpam", actionID, priority: 1, isActive: true, specialChannel: "chat" }
      ]
      const { json, status } = yield* sendJson("POST", bulk, { token, body })
      expect(status).toBe(200)
      expect(json).toMatchObject([
        { hookName: "OnSpam", priority: 7, isActive: false, specialChannel: null, topicID: null },
        { hookName: null, priority: 3, topicID },
        { hookName: "OnSpam", priority: 1, specialChannel: "Chat" }
      ])
      const { totalCount } = yield* topicActions.listTopicActions({ urlParams: { actionId: actionID } })
      expect(totalCount).toBe(3)
    })
  )

  it.effect("are written all or nothing", () =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const foreign = yield* newAction("globex-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const good = { topicID, actionID, priority: 1, isActive: true }
      const hook = { hookName: fresh("H").replace(" ", "-"), actionID, priority: 1, isActive: true }

      const ofOthers = [good, { ...hook, channelID: 2 ** 31 - 1 }, hook, { ...good, actionID: foreign.actionID }]
      expect(yield* refusedPaths("POST", bulk, token, ofOthers)).toEqual(["1.channelID", "3.actionID"])
      const wrong = [good, { ...hook, priority: "high" }, { ...hook, topicID }, { actionID }]
      expect(yield* refusedPaths("POST", bulk, token, wrong)).toEqual([
        "1.priority",
        "2.hookName",
        "3.priority",
        "3.isActive",
        "3.topicID"
      ])
      const twice = [good, hook, { ...hook, hookName: hook.hookName.toUpperCase(), priority: 2 }]
      const conflict = yield* sendJson("POST", bulk, { token, body: twice })
      expect(conflict.status).toBe(409)
      expect(textIn(conflict.json, "message")).toContain("item 2")
      const count = topicActions.listTopicActions({ urlParams: { actionId: actionID } })
      expect((yield* count).totalCount).toBe(0)

      yield* topicActions.createTopicAction({ payload: good })
      expect((yield* sendJson("POST", bulk, { token, body: [hook, good] })).status).toBe(409)
      expect((yield* count).totalCount).toBe(1)
    })
  )

  it.effect("accept 1 to 500 rows", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const rows = (count: number) =>
        Array.from({ length: count }, (_, index) => ({
          hookName: `many-${index}`,
          actionID,
          priority: index,
          isActive: true
        }))
      expect((yield* sendJson("POST", bulk, { token, body: [] })).status).toBe(400)
      expect((yield* sendJson("POST", bulk, { token, body: rows(501) })).status).toBe(400)
      expect((yield* sendJson("POST", bulk, { token, body: { actionID } })).status).toBe(400)
      const { json, status } = yield* sendJson("POST", bulk, { token, body: rows(500) })
      expect(status).toBe(200)
      const created = yield* Schema.decodeUnknown(Schema.Array(TopicAction))(json)
      expect(created.map(({ priority }) => priority)).toEqual(rows(500).map(({ priority }) => priority))
    })
  )
})
