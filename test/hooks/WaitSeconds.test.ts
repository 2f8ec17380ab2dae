import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import type { ActionID } from "../../schema/Ids.ts"
import type { TopicActionCreate } from "../../schema/TopicActions.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh, newAction, newChannel, phoneToken, refusedPaths } from "../topics/Mappings.ts"

const waitSeconds = "/api/hookactions/wait-seconds"

layer(testApp(), { excludeTestServices: true })("The wait seconds of a hook", (it) => {
  it.effect("sum up the active waits that match the channel", () =>
    Effect.gen(function* () {
      const { hookActions, topicActions } = yield* clientOf("acme-admin")
      const [phone, otherPhone, chat] = [
        yield* newChannel("acme-admin", "Phone"),
        yield* newChannel("acme-admin", "Phone"),
        yield* newChannel("acme-admin", "Chat")
      ]
      const hookName = fresh("Wait").replace(" ", "-")
      // Each wait is a distinct power of two, so the sum shows which ones were counted.
      const rows: ReadonlyArray<Partial<TopicActionCreate>> = [
        {},
        { specialChannel: "All" },
        { channelID: phone },
        { specialChannel: "Phone" },
        { specialChannel: "Chat" },
        { channelID: otherPhone, specialChannel: "Chat" },
        { channelID: chat, specialChannel: "All" },
        { isActive: false },
        { hookName: `${hookName}-other` }
      ]
      for (const [power, row] of rows.entries()) {
        const { actionID } = yield* newAction("acme-admin", `Wait ${2 ** power} seconds`)
        yield* topicActions.createTopicAction({ payload: { hookName, actionID, priority: 1, isActive: true, ...row } })
      }
      const inactive = yield* newAction("acme-admin", "Wait 1000 seconds", false)
      const noWait = yield* newAction("acme-admin", fresh("Close"))
      for (const { actionID } of [inactive, noWait]) {
        yield* hookActions.createHookAction({ payload: { hookName, actionID, priority: 1 } })
      }
      const total = (channelId?: typeof phone) =>
        Effect.map(
          hookActions.waitSeconds({ urlParams: { hookName, ...(channelId !== undefined && { channelId }) } }),
          ({ totalWaitSeconds }) => totalWaitSeconds
        )
      const always = 1 + 2 + 64
      expect(yield* total()).toBe(always)
      expect(yield* total(phone)).toBe(always + 4 + 8)
      expect(yield* total(otherPhone)).toBe(always + 8 + 32)
      expect(yield* total(chat)).toBe(always + 16 + 32)
      expect(yield* total(yield* newChannel("acme-admin", "Email"))).toBe(always)
    })
  )

  it.effect("are zero for a hook without waits, whose name is returned in its known spelling", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const channelID = yield* newChannel("acme-admin")
      const without = yield* sendJson("GET", `${waitSeconds}?hookName=ONTICKETREOPENED`, { token })
      expect(without.json).toEqual({ hookName: "OnTicketReopened", channelID: null, totalWaitSeconds: 0 })
      const given = yield* sendJson("GET", `${waitSeconds}?HOOKNAME=nobody&ChannelID=${channelID}`, { token })
      expect(given.json).toEqual({ hookName: "nobody", channelID, totalWaitSeconds: 0 })
    })
  )

  it.effect("count an action once, however often it is on the hook", () =>
    Effect.gen(function* () {
      const { hookActions } = yield* clientOf("acme-admin")
      const hookName = fresh("Twice").replace(" ", "-")
      const { actionID } = yield* newAction("acme-admin", "Wait 10 seconds")
      const other = yield* newAction("acme-admin", "Wait 15 seconds")
      yield* hookActions.createHookActions({
        payload: [
          { hookName, actionID, priority: 1 },
          { hookName, actionID, priority: 2, specialChannel: "All" },
          { hookName, actionID: other.actionID, priority: 3 }
        ]
      })
      expect(yield* hookActions.waitSeconds({ urlParams: { hookName } })).toMatchObject({ totalWaitSeconds: 25 })
    })
  )

  it.effect("may exceed a 32-bit integer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { hookActions } = yield* clientOf("acme-admin")
      const seconds = 30 * 24 * 3600
      const months = yield* sql<{ actionID: ActionID }>`
        insert into action (customer_id, name, priority, is_active, operation, parameters, operation_from_name)
        select 1, 'Month ' || number, 1, true, 'Wait', jsonb_build_object('seconds', ${seconds}::int), false
        from generate_series(1, 1000) number returning action_id as "actionID"`
      for (const some of Arr.chunksOf(months, 200)) {
        yield* hookActions.createHookActions({
          payload: some.map(({ actionID }) => ({ hookName: "long-wait", actionID, priority: 1 }))
        })
      }
      const { totalWaitSeconds } = yield* hookActions.waitSeconds({ urlParams: { hookName: "Long-Wait" } })
      expect(totalWaitSeconds).toBe(1000 * seconds)
    })
  )

  it.effect("require a hook name, and accept only the customer's own channels", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const foreign = yield* newChannel("globex-admin")
      const deleted = yield* newChannel("acme-admin", "Phone", { isDeleted: true })
      expect(yield* refusedPaths("GET", waitSeconds, token)).toEqual(["hookName"])
      expect(yield* refusedPaths("GET", `${waitSeconds}?hookName=a%20b&channelId=x`, token)).toEqual([
        "hookName",
        "channelId"
      ])
      for (const channelId of [foreign, deleted, 2 ** 31 - 1]) {
        const paths = yield* refusedPaths("GET", `${waitSeconds}?hookName=OnSpam&channelId=${channelId}`, token)
        expect(paths).toEqual(["channelId"])
      }
    })
  )

  it.effect("can be read with a phone token", () =>
    Effect.gen(function* () {
      const token = yield* phoneToken
      const { json, status } = yield* sendJson("GET", `${waitSeconds}?hookName=OnPhonePickup`, { token })
      expect(status).toBe(200)
      expect(json).toMatchObject({ hookName: "OnPhonePickup", channelID: null })
    })
  )
})
