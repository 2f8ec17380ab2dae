import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TopicActionCreate } from "../../schema/TopicActions.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh, newAction, newChannel, newTopic, refusedPaths } from "./Mappings.ts"

const topicAction = Effect.gen(function* () {
  const { topicID } = yield* newTopic("acme-admin")
  const { actionID } = yield* newAction("acme-admin")
  return { topicID, actionID, priority: 5, isActive: true }
})

layer(testApp(), { excludeTestServices: true })("Topic actions", (it) => {
  it.effect("are created, read and deleted; only their priority changes", () =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const payload = yield* topicAction
      const mapping = yield* topicActions.createTopicAction({ payload })
      expect(mapping).toEqual(
        expect.objectContaining({ ...payload, hookName: null, channelID: null, specialChannel: null })
      )
      const path = { id: mapping.topicActionID }
      expect(yield* topicActions.getTopicAction({ path })).toEqual(mapping)

      const url = `/api/TopicActions/${mapping.topicActionID}`
      const body = { priority: -3, isActive: false, topicID: 1, actionID: "no number", hookName: "???" }
      expect((yield* sendJson("PUT", url, { token, body })).status).toBe(204)
      expect(yield* topicActions.getTopicAction({ path })).toEqual({ ...mapping, priority: -3 })
      for (const wrong of [{}, { priority: null }, { priority: 1.5 }, { priority: 2 ** 31 }]) {
        expect(yield* refusedPaths("PUT", url, token, wrong)).toEqual(["priority"])
      }

      yield* topicActions.deleteTopicAction({ path })
      expect(yield* Effect.flip(topicActions.getTopicAction({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(topicActions.deleteTopicAction({ path }))).toMatchObject({ status: 404 })
      const change = { path, payload: { priority: 1 } }
      expect(yield* Effect.flip(topicActions.updateTopicAction(change))).toMatchObject({ status: 404 })
    })
  )

  it.effect("belong to a topic or a hook, never to both or none", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const channelID = yield* newChannel("acme-admin")
      const { topicID, ...rest } = yield* topicAction
      const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
        [rest, ["topicID"]],
        [{ ...rest, topicID: null, hookName: null }, ["topicID"]],
        [{ ...rest, topicID, hookName: "OnEscalate" }, ["hookName"]],
        [{ ...rest, topicID, channelID }, ["channelID"]],
        [{ ...rest, topicID, specialChannel: "All" }, ["specialChannel"]],
        [{ ...rest, hookName: "On Escalate" }, ["hookName"]],
        [{ ...rest, hookName: "" }, ["hookName"]],
        [{ ...rest, hookName: "x".repeat(101) }, ["hookName"]],
        [{ ...rest, hookName: "OnSpam", specialChannel: "Fax" }, ["specialChannel"]],
        [{ topicID }, ["actionID", "priority", "isActive"]],
        [{ actionID: rest.actionID }, ["priority", "isActive", "topicID"]],
        [{ ...rest, priority: 1.5, topicID, hookName: "OnSpam" }, ["priority", "hookName"]],
        [{ ...rest, topicID, channelID: "x", specialChannel: "All" }, ["channelID", "specialChannel"]],
        [{ ...rest, topicID: "x", hookName: "OnSpam" }, ["topicID", "hookName"]],
        [[rest], [""]]
      ]
      for (const [body, paths] of cases) {
        expect([body, yield* refusedPaths("POST", "/api/TopicActions", token, body)]).toEqual([body, paths])
      }
    })
  )

  it.effect("keep the known spelling of their hook's name", () =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const channelID = yield* newChannel("acme-admin")
      const hook = { actionID, priority: 1, isActive: true }
      const known = yield* topicActions.createTopicAction({ payload: { ...hook, hookName: "onESCALATE", channelID } })
      expect(known).toMatchObject({ topicID: null, hookName: "OnEscalate", channelID, specialChannel: null })
      const custom = yield* topicActions.createTopicAction({ payload: { ...hook, hookName: "My_own-Hook1" } })
      expect(custom.hookName).toBe("My_own-Hook1")
      const again = { ...hook, hookName: "MY_OWN-HOOK1" }
      expect(yield* Effect.flip(topicActions.createTopicAction({ payload: again }))).toMatchObject({ status: 409 })
    })
  )

  it.effect("are unique", () =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const payload = yield* topicAction
      yield* topicActions.createTopicAction({ payload })
      const again = topicActions.createTopicAction({ payload: { ...payload, priority: 9, isActive: false } })
      expect(yield* Effect.flip(again)).toMatchObject({ status: 409 })
      const { actionID } = payload
      const hook = { actionID, priority: 1, isActive: true, hookName: "OnSpam" }
      const channelID = yield* newChannel("acme-admin")
      for (const more of [{}, { channelID }, { specialChannel: "All" as const }, { specialChannel: "Chat" as const }]) {
        const once = topicActions.createTopicAction({ payload: { ...hook, ...more } })
        yield* once
        expect(yield* Effect.flip(once)).toMatchObject({ status: 409 })
      }
    })
  )

  it.effect("are unique even when many are added at the same time", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const body = yield* topicAction
      const racing = Array.from({ length: 8 }, () => sendJson("POST", "/api/TopicActions", { token, body }))
      const answers = yield* Effect.all(racing, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    })
  )

  it.effect("refuse ids that are not the customer's own", () =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const own = yield* topicAction
      const foreignTopic = yield* newTopic("globex-admin")
      const foreignAction = yield* newAction("globex-admin")
      const foreignChannel = yield* newChannel("globex-admin")
      const deletedChannel = yield* newChannel("acme-admin", "Email", { isDeleted: true })
      const { topicID: _, ...hook } = { ...own, hookName: fresh("h").replace(" ", "-") }
      const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
        [{ ...own, topicID: foreignTopic.topicID }, ["topicID"]],
        [{ ...own, topicID: 2 ** 31 - 1 }, ["topicID"]],
        [{ ...own, actionID: foreignAction.actionID }, ["actionID"]],
        [{ ...own, topicID: foreignTopic.topicID, actionID: foreignAction.actionID }, ["topicID", "actionID"]],
        [{ ...hook, channelID: foreignChannel }, ["channelID"]],
        [{ ...hook, channelID: deletedChannel }, ["channelID"]]
      ]
      for (const [body, paths] of cases) {
        expect([body, yield* refusedPaths("POST", "/api/TopicActions", token, body)]).toEqual([body, paths])
      }
      const { totalCount } = yield* topicActions.listTopicActions({ urlParams: { actionId: own.actionID } })
      expect(totalCount).toBe(0)
    })
  )

  it.effect("are listed by priority, filtered and sorted", () =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const topic = yield* newTopic("acme-admin")
      const other = yield* newTopic("acme-admin")
      const [first, second] = [yield* newAction("acme-admin"), yield* newAction("acme-admin")]
      const channelID = yield* newChannel("acme-admin")
      const hookName = fresh("Hook").replace(" ", "-")
      const rows: ReadonlyArray<TopicActionCreate> = [
        { topicID: topic.topicID, actionID: first.actionID, priority: 20, isActive: true },
        { topicID: topic.topicID, actionID: second.actionID, priority: 10, isActive: false },
        { topicID: other.topicID, actionID: first.actionID, priority: 10, isActive: true },
        { hookName, actionID: first.actionID, priority: 5, isActive: true, channelID },
        { hookName, actionID: second.actionID, priority: 30, isActive: true, specialChannel: "Phone" }
      ]
      const ids = (yield* topicActions.createTopicActions({ payload: rows })).map((row) => row.topicActionID)
      type Wanted = Parameters<typeof topicActions.listTopicActions>[0]["urlParams"]
      const expected: ReadonlyArray<readonly [Wanted, ReadonlyArray<number>]> = [
        [{}, [3, 1, 2, 0, 4]],
        [{ topicId: topic.topicID }, [1, 0]],
        [{ actionId: first.actionID }, [3, 2, 0]],
        [{ hookName: hookName.toUpperCase() }, [3, 4]],
        [{ channelId: channelID }, [3]],
        [{ isActive: false }, [1]],
        [{ topicId: topic.topicID, actionId: first.actionID, isActive: true }, [0]],
        [{ topicId: topic.topicID, hookName }, []],
        [{ sortOrder: "desc" }, [4, 0, 1, 2, 3]],
        [{ sortBy: "topicActionID" }, [0, 1, 2, 3, 4]],
        [{ sortBy: "actionID" }, [0, 2, 3, 1, 4]],
        [{ sortBy: "isActive" }, [1, 0, 2, 3, 4]],
        [{ sortBy: "topicID" }, [3, 4, 0, 1, 2]],
        [{ sortBy: "hookName" }, [0, 1, 2, 3, 4]],
        [{ sortBy: "channelID" }, [0, 1, 2, 4, 3]],
        [{ sortBy: "specialChannel" }, [0, 1, 2, 3, 4]]
      ]
      for (const [wanted, order] of expected) {
        const { items } = yield* topicActions.listTopicActions({ urlParams: { pageSize: 200, ...wanted } })
        const shown = items.map((row) => ids.indexOf(row.topicActionID)).filter((index) => index >= 0)
        expect([wanted, shown]).toEqual([wanted, order])
      }
      const page = yield* topicActions.listTopicActions({
        urlParams: { actionId: first.actionID, pageSize: 2, pageNumber: 2 }
      })
      expect(page).toMatchObject({ items: [{ topicActionID: ids[0] }], totalCount: 3, totalPages: 2 })
    })
  )

  it.effect("refuse invalid filters", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const queries = ["topicId=x", "actionId=0", "hookName=a%20b", "channelId=1.5", "isActive=maybe", "sortBy=name"]
      for (const query of queries) {
        expect(yield* refusedPaths("GET", `/api/TopicActions?${query}`, token)).toEqual([query.split("=")[0]])
      }
      expect((yield* sendJson("GET", "/api/TopicActions?IsActive=TRUE&topicID=1", { token })).status).toBe(200)
    })
  )

  it.effect("cannot be seen or changed by another customer", () =>
    Effect.gen(function* () {
      const mine = yield* clientOf("acme-admin")
      const { topicActionID } = yield* mine.topicActions.createTopicAction({ payload: yield* topicAction })
      const { topicActions } = yield* clientOf("globex-admin")
      const path = { id: topicActionID }
      expect(yield* Effect.flip(topicActions.getTopicAction({ path }))).toMatchObject({ status: 404 })
      const change = topicActions.updateTopicAction({ path, payload: { priority: 1 } })
      expect(yield* Effect.flip(change)).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(topicActions.deleteTopicAction({ path }))).toMatchObject({ status: 404 })
      const { items } = yield* topicActions.listTopicActions({ urlParams: { pageSize: 200 } })
      expect(items.map((row) => row.topicActionID)).not.toContain(topicActionID)
    })
  )
})
