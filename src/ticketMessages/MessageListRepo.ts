import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { ChannelID, CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { MessagesOfTicketQuery } from "../../schema/TicketMessageBodies.ts"
import { messagePaging, TicketMessage, TicketMessagePage } from "../../schema/TicketMessages.ts"
import { quick } from "../platform/database/LeanStatements.ts"
import { pagedJsonOnce } from "../platform/database/PagedJson.ts"
import { ignoringCase } from "../platform/database/PagedQuery.ts"
import { type ReadyJson, type ReadyPage, readyJson } from "../platform/database/ReadyJson.ts"
import type { PlaceholderFor } from "../platform/database/WrittenOnce.ts"
import { actionNames, customerRepName, hasAttachment, messageColumns, topicNames } from "./MessageColumns.ts"

/** Messages as they are shown, ready to send. */
export class MessageListRepo extends Context.Tag("casework/MessageListRepo")<
  MessageListRepo,
  {
    readonly list: (
      customerID: CustomerID,
      ticketID: TicketID,
      query: MessagesOfTicketQuery
    ) => Effect.Effect<ReadyPage<TicketMessagePage>>
    readonly find: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      channelID: Option.Option<ChannelID>
    ) => Effect.Effect<Option.Option<ReadyJson<TicketMessage>>>
  }
>() {
  static readonly layer = Layer.effect(
    MessageListRepo,
    Effect.suspend(() => make)
  )
}

const Found = Schema.Array(Schema.Struct({ json: Schema.String }))

/** The length of a long text is known without reading it. */
const bytes = ["message", "html_body", "text_body", "page_screenshot", "ai_reply"]
  .map((column) => `coalesce(octet_length(m.${column}), 0)`)
  .join(" + ")

const quickSort = new Set<string>(["messageID", "dateCreated", "messageDate"])

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const list = pagedJsonOnce(sql, {
    Page: TicketMessagePage,
    columns: messageColumns,
    from: (place: PlaceholderFor<{ readonly customerID: CustomerID; readonly ticketID: TicketID }>) => sql`
      ticket_message m where m.customer_id = ${place((_) => _.customerID)} and m.ticket_id = ${place((_) => _.ticketID)}`,
    sortBy: {
      messageID: "m.ticket_message_id",
      ticketID: "m.ticket_id",
      channelID: "m.channel_id",
      dateCreated: "m.created_at",
      messageDate: "m.message_date",
      senderType: "m.sender_type",
      customerRepID: "m.customer_rep_id",
      customerRepName: ignoringCase(customerRepName),
      status: "m.status",
      subject: ignoringCase("m.subject"),
      message: ignoringCase("m.message"),
      preview: ignoringCase("m.preview"),
      htmlBody: ignoringCase("m.html_body"),
      textBody: ignoringCase("m.text_body"),
      fromAddress: ignoringCase("m.from_address"),
      fromName: ignoringCase("m.from_name"),
      toAddress: ignoringCase("m.to_address"),
      uid: ignoringCase("m.uid"),
      pageURL: ignoringCase("m.page_url"),
      pageScreenshot: ignoringCase("m.page_screenshot"),
      isOpened: "m.is_opened",
      isEscalated: "m.is_escalated",
      hasAttachment,
      aI_FeedbackComment: ignoringCase("m.ai_feedback_comment"),
      aiReply: ignoringCase("m.ai_reply"),
      topics: ignoringCase(topicNames),
      customFieldsData: "m.custom_fields",
      actions: ignoringCase(actionNames)
    },
    optional: [
      "messageDate",
      "customerRepID",
      "customerRepName",
      "subject",
      "message",
      "preview",
      "htmlBody",
      "textBody",
      "fromAddress",
      "fromName",
      "toAddress",
      "uid",
      "pageURL",
      "pageScreenshot",
      "aI_FeedbackComment",
      "aiReply",
      "topics",
      "actions"
    ],
    id: "m.ticket_message_id",
    bytes,
    // Sorted by a column of the row itself, and few enough that their texts do not take long.
    isQuick: ({ pageSize, sortBy }) => pageSize <= 50 && quickSort.has(sortBy),
    paging: messagePaging
  })

  return MessageListRepo.of({
    list: (customerID, ticketID, query) => list({ customerID, ticketID }, query),
    find: (customerID, ticketMessageID, channelID) =>
      quick(sql`
        select row_to_json(found)::text as json from (
          select ${sql.literal(messageColumns)} from ticket_message m
          where ${sql.and([
            sql`m.customer_id = ${customerID}`,
            sql`m.ticket_message_id = ${ticketMessageID}`,
            ...Option.match(channelID, { onNone: () => [], onSome: (id) => [sql`m.channel_id = ${id}`] })
          ])}) found`).pipe(
        Effect.flatMap(Schema.decodeUnknown(Found)),
        Effect.map(([row]) => Option.map(Option.fromNullable(row), ({ json }) => readyJson(TicketMessage, json))),
        Effect.orDie
      )
  })
})
