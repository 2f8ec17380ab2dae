import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID } from "../../schema/Ids.ts"
import type { TicketCreate } from "../../schema/Tickets.ts"
import { numberIn } from "../support/Fields.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"

type Customer = "acme" | "globex"

export const idOf = { acme: 1, globex: 2 } as const

/** The demo channel of a type. */
export const channelOf = (channelType: ChannelType = "Email", customer: Customer = "acme") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: number }>`
      select channel_id as id from channel
      where customer_id = ${idOf[customer]} and channel_type = ${channelType} order by channel_id limit 1`
  ).pipe(Effect.flatMap(([row]) => Effect.map(Effect.fromNullable(row?.id), (id) => ChannelID.make(id))))

export const newTicket = (fields: Partial<TicketCreate> = {}, customer: Customer = "acme") =>
  Effect.gen(function* () {
    const { tickets } = yield* clientOf(`${customer}-admin`)
    const channelID = fields.channelID ?? (yield* channelOf("Email", customer))
    return yield* tickets.createTicket({ payload: { ...fields, channelID } })
  })

/** The events that people caused on a ticket of Acme, in order; those of automation are left out. */
export const eventsOf = (ticketID: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ kind: string }>`
      select kind from event
      where customer_id = 1 and ticket_id = ${ticketID} and automation_run_id is null order by event_id`
  ).pipe(Effect.map((rows) => rows.map(({ kind }) => kind)))

/** The total count of the list, which comes from the tally and not from the rows. */
export const tallied = (query = "") =>
  Effect.gen(function* () {
    const { json } = yield* sendJson("GET", `/tickets?pageSize=1${query}`, { token: yield* tokenOf("acme-admin") })
    return numberIn(json, "totalCount")
  })
