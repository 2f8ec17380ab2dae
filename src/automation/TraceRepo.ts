import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { TraceEntry } from "../../schema/Automation.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { isoDate } from "../platform/database/JsonColumns.ts"

/** Everything recorded about a message and what was sent because of it, in chronological order. */
export class TraceRepo extends Context.Tag("casework/TraceRepo")<
  TraceRepo,
  {
    readonly list: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<TraceEntry>>
  }
>() {
  static readonly layer = Layer.effect(
    TraceRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknown(Schema.Array(TraceEntry))
      return {
        list: (customerID, ticketMessageID) =>
          sql`
            with recursive messages (id) as (
              select ticket_message_id from ticket_message where customer_id = ${customerID}
                and (ticket_message_id = ${ticketMessageID} or answers_message_id = ${ticketMessageID})
              union
              select e.ticket_message_id from messages
              join automation_run r on r.customer_id = ${customerID} and r.ticket_message_id = messages.id
              join event e on e.customer_id = r.customer_id and e.automation_run_id = r.automation_run_id
              where e.kind = 'MessageAdded')
            select ${sql.literal(isoDate("at"))} as at, type, what, outcome, hook_name as "hookName",
              action_id as "actionID", ai_run_id as "aiRunID", message_id as "messageID"
            from (
              select created_at as at, 1 as place, ticket_message_id::bigint as number, 'Message' as type,
                case sender_type when 'EndUser' then 'Received' else 'Answer' end as what,
                coalesce(status || ': ' || delivery_error, status) as outcome, null as hook_name,
                null::int as action_id, null::int as ai_run_id, ticket_message_id as message_id
              from ticket_message
              where customer_id = ${customerID} and ticket_message_id in (select id from messages)
              union all
              select at, 2, event_id, 'Event', kind, details->>'reason', null, null, null, ticket_message_id
              from event where customer_id = ${customerID} and ticket_message_id in (select id from messages)
              union all
              select coalesce(a.run_at, r.created_at), 3, a.message_action_id, 'Action', a.name,
                coalesce(a.status || ': ' || a.error, a.status), a.hook_name, a.action_id, null, a.ticket_message_id
              from message_action a
              join automation_run r on r.customer_id = a.customer_id and r.automation_run_id = a.automation_run_id
              where a.customer_id = ${customerID} and a.ticket_message_id in (select id from messages)
              union all
              select created_at, 4, ai_run_id, 'AiRun', purpose, coalesce(outcome || ': ' || error, outcome), null, null,
                ai_run_id, ticket_message_id
              from ai_run where customer_id = ${customerID} and ticket_message_id in (select id from messages)
              union all
              select at, 5, 0, 'Step', step, outcome, null, null, null, ticket_message_id
              from pipeline_step where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
            ) story order by story.at, place, number`.pipe(Effect.flatMap(decode), Effect.orDie)
      }
    })
  )
}
