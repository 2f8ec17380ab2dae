import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, testApp } from "../support/TestApp.ts"

layer(testApp(), { excludeTestServices: true })("Actions", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientOf("acme-admin")
      const action = yield* actions.createAction({
        payload: { name: "Wait 2 minutes", priority: 5, isActive: true, description: "a pause" }
      })
      expect(action).toMatchObject({
        name: "Wait 2 minutes",
        description: "a pause",
        operation: "Wait",
        parameters: { seconds: 120 }
      })
      const path = { id: action.actionID }
      expect(yield* actions.getAction({ path })).toEqual(action)
      yield* actions.updateAction({
        path,
        payload: { actionID: action.actionID, name: "Close ticket now", priority: 6, isActive: false }
      })
      expect(yield* actions.getAction({ path })).toMatchObject({
        name: "Close ticket now",
        description: "a pause",
        priority: 6,
        isActive: false,
        operation: "None",
        parameters: null
      })
      yield* actions.deleteAction({ path })
      expect(yield* Effect.flip(actions.getAction({ path }))).toMatchObject({ _tag: "NotFound", status: 404 })
    })
  )
})
