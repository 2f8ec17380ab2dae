import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { HookActions } from "./HookActions.ts"

export const HookActionsHttp = HttpApiBuilder.group(CaseworkApi, "hookActions", (handlers) =>
  Effect.gen(function* () {
    const hookActions = yield* HookActions
    return handlers
      .handle("listHookActions", ({ urlParams }) => hookActions.list(urlParams))
      .handle("waitSeconds", ({ urlParams }) => hookActions.waitSeconds(urlParams))
      .handle("getHookAction", ({ path }) => hookActions.get(path.id))
      .handle("createHookAction", ({ payload }) => hookActions.create(payload))
      .handle("createHookActions", ({ payload }) => hookActions.createAll(payload))
      .handle("updateHookAction", ({ path, payload }) => hookActions.setPriority(path.id, payload))
      .handle("deleteHookAction", ({ path }) => hookActions.delete(path.id))
  })
)
