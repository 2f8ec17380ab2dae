import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TopicActionID } from "../../schema/Ids.ts"
import { field, fieldsOf, listIn, numberIn } from "../support/Fields.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh, newAction, newChannel, newTopic, phoneToken, refusedPaths } from "../topics/Mappings.ts"

const hooks = "/api/hookactions"

layer(testApp(), { excludeTestServices: true })("Hook actions", (it) => {
  it.effect("are created, read and deleted; only their priority changes", () =>
    Effect.gen(function* () {
      const { hookActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const action = yield* newAction("acme-admin")
      const { actionID } = action
      const created = yield* sendJson("POST", hooks, {
        token,
        body: { hookName: "ONphonepickup", actionID, priority: 4 }
      })
      expect(created.status).toBe(200)
      expect(created.json).toEqual({
        hookActionID: expect.any(Number),
        hookName: "OnPhonePickup",
        actionID,
        actionName: action.name,
        channelName: null,
        priority: 4
      })
      const url = `${hooks}/${numberIn(created.json, "hookActionID")}`
      expect((yield* sendJson("GET", url, { token })).json).toEqual(created.json)
      const body = { priority: 9, hookName: "OnSpam", actionID: 1 }
      expect((yield* sendJson("PUT", url, { token, body })).status).toBe(204)
      expect((yield* sendJson("GET", url, { token })).json).toEqual({ ...fieldsOf(created.json), priority: 9 })
      expect(yield* refusedPaths("PUT", url, token, { hookName: "OnSpam" })).toEqual(["priority"])
      expect((yield* sendJson("DELETE", url, { token })).status).toBe(204)
      for (const method of ["GET", "DELETE"]) expect((yield* sendJson(method, url, { token })).status).toBe(404)
      expect((yield* sendJson("PUT", url, { token, body })).status).toBe(404)
      const { items } = yield* hookActions.listHookActions({ urlParams: { pageSize: 200 } })
      expect(items.map((row) => row.actionID)).not.toContain(actionID)
    })
  )

  it.effect("show the channel's name, or else its type", () =>
    Effect.gen(function* () {
      const { hookActions } = yield* clientOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const name = fresh("Front desk")
      const channelID = yield* newChannel("acme-admin", "Phone", { name })
      const hook = { hookName: "OnAssigned", actionID, priority: 1 }
      const rows = yield* hookActions.createHookActions({
        payload: [
          { ...hook, channelID },
          { ...hook, specialChannel: "WhatsApp" },
          { ...hook, channelID, specialChannel: "Chat" },
          hook
        ]
      })
      expect(rows.map(({ channelName }) => channelName)).toEqual([name, "WhatsApp", name, null])
    })
  )

  it.effect("are the topic actions that belong to a hook, and no others", () =>
    Effect.gen(function* () {
      const { hookActions, topicActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const { hookActionID } = yield* hookActions.createHookAction({
        payload: { hookName: "OnFeedback", actionID, priority: 2, specialChannel: "All" }
      })
      const path = { id: TopicActionID.make(hookActionID) }
      expect(yield* topicActions.getTopicAction({ path })).toEqual({
        topicActionID: hookActionID,
        topicID: null,
        hookName: "OnFeedback",
        actionID,
        channelID: null,
        specialChannel: "All",
        priority: 2,
        isActive: true
      })
      const payload = { topicID, actionID, priority: 1, isActive: true }
      const { topicActionID } = yield* topicActions.createTopicAction({ payload })
      const url = `${hooks}/${topicActionID}`
      expect((yield* sendJson("GET", url, { token })).status).toBe(404)
      expect((yield* sendJson("PUT", url, { token, body: { priority: 8 } })).status).toBe(404)
      expect((yield* sendJson("DELETE", url, { token })).status).toBe(404)
      const kept = yield* topicActions.getTopicAction({ path: { id: topicActionID } })
      expect(kept.priority).toBe(1)
      const { items } = yield* hookActions.listHookActions({ urlParams: { pageSize: 200 } })
      expect(items.map((row): number => row.hookActionID)).not.toContain(topicActionID)
    })
  )

  it.effect("are unique, and invalid ones are refused", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const foreign = yield* newAction("globex-admin")
      const foreignChannel = yield* newChannel("globex-admin")
      const deletedChannel = yield* newChannel("acme-admin", "Chat", { isDeleted: true })
      const hook = { hookName: "my-hook", actionID, priority: 1 }
      const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
        [{}, ["hookName", "actionID", "priority"]],
        [{ ...hook, hookName: "a.b" }, ["hookName"]],
        [{ ...hook, hookName: null }, ["hookName"]],
        [{ ...hook, hookName: "x".repeat(101) }, ["hookName"]],
        [{ ...hook, specialChannel: "Letter" }, ["specialChannel"]],
        [{ ...hook, actionID: foreign.actionID }, ["actionID"]],
        [{ ...hook, channelID: foreignChannel }, ["channelID"]],
        [{ ...hook, channelID: deletedChannel, actionID: 2 ** 31 - 1 }, ["actionID", "channelID"]]
      ]
      for (const [body, paths] of cases) {
        expect([body, yield* refusedPaths("POST", hooks, token, body)]).toEqual([body, paths])
      }
      expect((yield* sendJson("POST", hooks, { token, body: hook })).status).toBe(200)
      const again = { ...hook, hookName: "MY-HOOK", priority: 2 }
      expect((yield* sendJson("POST", hooks, { token, body: again })).status).toBe(409)
      expect((yield* sendJson("POST", hooks, { token, body: { ...again, specialChannel: "All" } })).status).toBe(200)
    })
  )

  it.effect("are created in bulk all or nothing", () =>
    Effect.gen(function* () {
      const { hookActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const hookName = fresh("Bulk").replace(" ", "-")
      const row = (priority: number, more: object = {}) => ({ hookName, actionID, priority, ...more })
      const bulk = (body: unknown) => sendJson("POST", `${hooks}/bulk`, { token, body })
      const count = Effect.map(hookActions.listHookActions({ urlParams: { hookName } }), (page) => page.totalCount)

      const foreign = [row(1), row(2, { specialChannel: "Chat", channelID: 2 ** 31 - 1 })]
      expect(yield* refusedPaths("POST", `${hooks}/bulk`, token, foreign)).toEqual(["1.channelID"])
      const wrong = [row(1), { hookName }, row(2, { specialChannel: "Fax" })]
      expect(yield* refusedPaths("POST", `${hooks}/bulk`, token, wrong)).toEqual([
        "1.actionID",
        "1.priority",
        "2.specialChannel"
      ])
      expect((yield* bulk([row(1), row(2)])).status).toBe(409)
      expect((yield* bulk([])).status).toBe(400)
      expect((yield* bulk(Array.from({ length: 501 }, (_, index) => row(1, { hookName: `b${index}` })))).status).toBe(
        400
      )
      expect(yield* count).toBe(0)

      const { json, status } = yield* bulk([
        row(1),
        row(9, { specialChannel: "Chat" }),
        row(5, { specialChannel: "email" })
      ])
      expect(status).toBe(200)
      expect(json).toMatchObject([
        { priority: 1, channelName: null },
        { priority: 9, channelName: "Chat" },
        { priority: 5, channelName: "Email" }
      ])
      expect(yield* count).toBe(3)
    })
  )

  it.effect("are listed highest priority first, filtered and sorted", () =>
    Effect.gen(function* () {
      const { hookActions } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const hookName = fresh("List").replace(" ", "-")
      const [b, a] = [yield* newAction("acme-admin", fresh("b")), yield* newAction("acme-admin", fresh("A"))]
      const rows = yield* hookActions.createHookActions({
        payload: [
          { hookName, actionID: b.actionID, priority: 1 },
          { hookName, actionID: a.actionID, priority: 7, specialChannel: "Phone" },
          { hookName: `${hookName}-2`, actionID: b.actionID, priority: 7, specialChannel: "Chat" }
        ]
      })
      const ids = rows.map((row) => row.hookActionID)
      type Wanted = Parameters<typeof hookActions.listHookActions>[0]["urlParams"]
      const expected: ReadonlyArray<readonly [Wanted, ReadonlyArray<number>]> = [
        [{}, [1, 2, 0]],
        [{ hookName: hookName.toUpperCase() }, [1, 0]],
        [{ sortOrder: "asc" }, [0, 1, 2]],
        [{ sortBy: "hookActionID", sortOrder: "asc" }, [0, 1, 2]],
        [{ sortBy: "hookName", sortOrder: "desc" }, [2, 0, 1]],
        [{ sortBy: "actionID", sortOrder: "asc" }, [0, 2, 1]],
        [{ sortBy: "actionName", sortOrder: "asc" }, [1, 0, 2]],
        [{ sortBy: "channelName", sortOrder: "asc" }, [0, 2, 1]]
      ]
      for (const [wanted, order] of expected) {
        const { items } = yield* hookActions.listHookActions({ urlParams: { pageSize: 200, ...wanted } })
        const shown = items.map((row) => ids.indexOf(row.hookActionID)).filter((index) => index >= 0)
        expect([wanted, shown]).toEqual([wanted, order])
      }
      const page = yield* hookActions.listHookActions({ urlParams: { hookName, pageSize: 1, pageNumber: 2 } })
      expect(page).toMatchObject({ items: [{ hookActionID: ids[0] }], totalCount: 2, totalPages: 2 })
      for (const query of ["hookName=a%20b", "sortBy=isActive", "pageSize=0"]) {
        expect(yield* refusedPaths("GET", `${hooks}?${query}`, token)).toEqual([query.split("=")[0]])
      }
    })
  )

  it.effect("cannot be seen or changed by another customer", () =>
    Effect.gen(function* () {
      const mine = yield* clientOf("acme-admin")
      const { actionID } = yield* newAction("acme-admin")
      const payload = { hookName: "OnSendFailed", actionID, priority: 1 }
      const { hookActionID } = yield* mine.hookActions.createHookAction({ payload })
      const token = yield* tokenOf("globex-admin")
      const url = `${hooks}/${hookActionID}`
      expect((yield* sendJson("GET", url, { token })).status).toBe(404)
      expect((yield* sendJson("PUT", url, { token, body: { priority: 2 } })).status).toBe(404)
      expect((yield* sendJson("DELETE", url, { token })).status).toBe(404)
      expect(yield* mine.hookActions.getHookAction({ path: { id: hookActionID } })).toMatchObject({ priority: 1 })
    })
  )

  it.effect("can be listed with a phone token, but nothing else", () =>
    Effect.gen(function* () {
      const token = yield* phoneToken
      const list = yield* sendJson("GET", `${hooks}?hookName=onphonepickup`, { token })
      expect(list.status).toBe(200)
      const [found] = listIn(list.json, "items")
      const hookActionID = numberIn(found, "hookActionID")
      expect(field(found, "hookName")).toBe("OnPhonePickup")
      const body = { hookName: "OnSpam", actionID: 1, priority: 1 }
      const refused = yield* Effect.all([
        sendJson("GET", `${hooks}/${hookActionID}`, { token }),
        sendJson("PUT", `${hooks}/${hookActionID}`, { token, body }),
        sendJson("DELETE", `${hooks}/${hookActionID}`, { token }),
        sendJson("POST", hooks, { token, body }),
        sendJson("POST", `${hooks}/bulk`, { token, body: [body] })
      ])
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
      expect((yield* sendJson("GET", hooks)).status).toBe(401)
      expect((yield* sendJson("GET", `${hooks}/wait-seconds?hookName=a`)).status).toBe(401)
    })
  )
})
