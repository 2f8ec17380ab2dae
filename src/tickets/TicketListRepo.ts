import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { CustomerID, TicketID } from "../../schema/Ids.ts"
import { Ticket, TicketPage, ticketPaging } from "../../schema/Tickets.ts"
import { quick } from "../platform/database/LeanStatements.ts"
import { pagedJson } from "../platform/database/PagedJson.ts"
import { ignoringCase } from "../platform/database/PagedQuery.ts"
import { type ReadyJson, readyJson } from "../platform/database/ReadyJson.ts"
import { writtenOnce } from "../platform/database/WrittenOnce.ts"
import { channelType, feedbackComments, lastSenderType, ticketColumns, topicNames } from "./TicketColumns.ts"
import { foundOf, type TicketFilter, tallyOf, ticketsFrom } from "./TicketFiltersSql.ts"

/** Tickets as they are shown, ready to send. */
export class TicketListRepo extends Context.Tag("casework/TicketListRepo")<
  TicketListRepo,
  {
    readonly list: (customerID: CustomerID, filter: TicketFilter) => Effect.Effect<ReadyJson<TicketPage>>
    readonly exists: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<boolean>
    readonly find: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<Option.Option<ReadyJson<Ticket>>>
  }
>() {
  static readonly layer = Layer.effect(
    TicketListRepo,
    Effect.suspend(() => make)
  )
}

const Found = Schema.Array(Schema.Struct({ json: Schema.String }))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const list = pagedJson(sql, {
    Page: TicketPage,
    columns: ticketColumns,
    with: ({ customerID, filter }) => foundOf(sql, customerID, filter),
    from: ({ customerID, filter }: { readonly customerID: CustomerID; readonly filter: TicketFilter }) =>
      ticketsFrom(sql, customerID, filter),
    count: ({ customerID, filter }) => tallyOf(sql, customerID, filter),
    sortBy: {
      ticketID: "t.ticket_id",
      dateCreated: "t.created_at",
      status: "t.status",
      subject: ignoringCase("t.subject"),
      channelID: "t.channel_id",
      channelType,
      endUserID: "t.end_user_id",
      customerRepID: "t.customer_rep_id",
      isClosed: "(t.status = 'Closed')",
      isSpam: "t.is_spam",
      language: "t.language",
      lastMessageDate: "t.last_message_at",
      lastSenderType,
      topics: ignoringCase(`${topicNames}::text`),
      aiFeedbackComments: ignoringCase(`${feedbackComments}::text`),
      customFieldsData: "t.custom_fields",
      ticketToken: "t.ticket_token"
    },
    optional: [
      "subject",
      "endUserID",
      "customerRepID",
      "language",
      "lastMessageDate",
      "lastSenderType",
      "topics",
      "aiFeedbackComments"
    ],
    id: "t.ticket_id",
    paging: ticketPaging
  })

  const decodeFound = Schema.decodeUnknown(Found)
  const find = writtenOnce<{ readonly customerID: CustomerID; readonly ticketID: TicketID }>(
    sql,
    (place) => sql`
      select row_to_json(found)::text as json from (
        select ${sql.literal(ticketColumns)} from ticket t
        where t.customer_id = ${place((_) => _.customerID)} and t.ticket_id = ${place((_) => _.ticketID)}) found`
  )

  return TicketListRepo.of({
    list: (customerID, filter) => list({ customerID, filter }, filter),
    exists: (customerID, ticketID) =>
      sql`select 1 from ticket where customer_id = ${customerID} and ticket_id = ${ticketID}`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orDie
      ),
    find: (customerID, ticketID) =>
      quick(find({ customerID, ticketID })).pipe(
        Effect.flatMap(decodeFound),
        Effect.map(([row]) => Option.map(Option.fromNullable(row), ({ json }) => readyJson(Ticket, json))),
        Effect.orDie
      )
  })
})
