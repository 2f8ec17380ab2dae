import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { everyMessage } from "../../schema/Hooks.ts"
import { type CustomerID, DocumentID, type TicketMessageID } from "../../schema/Ids.ts"
import { type HookChannel, matchesChannel } from "../hooks/ChannelMatchSql.ts"

const Rows = Schema.Array(Schema.Struct({ documentID: DocumentID }))

/** Which documents belong in the prompt for a message. */
export class PromptDocumentsRepo extends Context.Tag("casework/PromptDocumentsRepo")<
  PromptDocumentsRepo,
  {
    /** Those of its topics, those of the hook on its channel, and those for every message; the most relevant first. */
    readonly list: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      channel: HookChannel,
      hookName: Option.Option<string>
    ) => Effect.Effect<ReadonlyArray<DocumentID>>
  }
>() {
  static readonly layer = Layer.effect(
    PromptDocumentsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        list: (customerID, ticketMessageID, channel, hookName) => {
          const hooks = [everyMessage, ...Option.toArray(hookName)].map((name) => name.toLowerCase())
          return sql`
            select document_id as "documentID" from topic_document t
            where t.customer_id = ${customerID} and (
              t.topic_id in (select topic_id from ticket_message_topic
                where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID})
              or (lower(t.hook_name) = any(${hooks}) and ${matchesChannel(sql, Option.some(channel))}))
            group by document_id order by max(relevance_score) desc nulls last, document_id`.pipe(
            Effect.flatMap(Schema.decodeUnknown(Rows)),
            Effect.map((rows) => rows.map(({ documentID }) => documentID)),
            Effect.orDie
          )
        }
      }
    })
  )
}
