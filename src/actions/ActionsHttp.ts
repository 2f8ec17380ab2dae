import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { Action } from "../../schema/Actions.ts"
import { CaseworkApi } from "../../schema/Api.ts"
import { created } from "../platform/http/Created.ts"
import { Actions } from "./Actions.ts"

export const ActionsHttp = HttpApiBuilder.group(CaseworkApi, "actions", (handlers) =>
  Effect.gen(function* () {
    const actions = yield* Actions
    return handlers
      .handle("listActions", ({ urlParams }) => actions.list(urlParams))
      .handle("getAction", ({ path }) => actions.get(path.id))
      .handle("createAction", ({ payload }) =>
        created(Action, ({ actionID }) => `/api/Actions/${actionID}`)(actions.create(payload))
      )
      .handle("updateAction", ({ path, payload }) => actions.update(path.id, payload))
      .handle("deleteAction", ({ path }) => actions.delete(path.id))
  })
)
