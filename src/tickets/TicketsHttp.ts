import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { sendReady } from "../platform/database/ReadyJson.ts"
import { Tickets } from "./Tickets.ts"

export const TicketsHttp = HttpApiBuilder.group(CaseworkApi, "tickets", (handlers) =>
  Effect.gen(function* () {
    const tickets = yield* Tickets
    return handlers
      .handle("listTickets", ({ urlParams }) => Effect.map(tickets.list(urlParams), sendReady))
      .handle("getTicket", ({ path }) => Effect.map(tickets.get(path.id), sendReady))
      .handle("createTicket", ({ payload }) => Effect.map(tickets.create(payload), sendReady))
      .handle("bulkUpdateTickets", ({ payload }) => tickets.bulk(payload))
      .handle("updateTicket", ({ path, payload }) => tickets.update(path.id, payload))
      .handle("deleteTicket", ({ path }) => tickets.delete(path.id))
  })
)
