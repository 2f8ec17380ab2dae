import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { sendReady } from "../platform/database/ReadyJson.ts"
import { Tickets } from "../tickets/Tickets.ts"
import { EndUsers } from "./EndUsers.ts"

export const EndUsersHttp = HttpApiBuilder.group(CaseworkApi, "endUsers", (handlers) =>
  Effect.gen(function* () {
    const endUsers = yield* EndUsers
    const tickets = yield* Tickets
    return handlers
      .handle("listEndUsers", ({ urlParams }) => endUsers.list(urlParams))
      .handle("findEndUsersByUid", ({ urlParams }) => endUsers.findByUid(urlParams.uid))
      .handle("getEndUser", ({ path }) => endUsers.get(path.id))
      .handle("listTicketsOfEndUser", ({ path, urlParams }) =>
        endUsers.get(path.id).pipe(Effect.zipRight(tickets.listOfEndUser(path.id, urlParams)), Effect.map(sendReady))
      )
      .handle("createEndUser", ({ payload }) => endUsers.create(payload))
      .handle("updateEndUser", ({ path, payload }) => endUsers.update(path.id, payload))
      .handle("deleteEndUser", ({ path }) => endUsers.delete(path.id))
      .handle("assignUid", ({ payload }) => endUsers.assignUid(payload))
  })
)
