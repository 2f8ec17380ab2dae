import { SqlClient, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { SpecialChannel } from "../../schema/ChannelTypes.ts"
import { ActionID, ChannelID, type CustomerID, type TicketMessageID, TopicID } from "../../schema/Ids.ts"
import { OperationName } from "../../schema/Operations.ts"
import type { RunRequest } from "../events/AutomationJobs.ts"
import type { MappedAction } from "./ActionPlan.ts"

const Row = Schema.Struct({
  topicActionID: Schema.Int,
  actionID: ActionID,
  name: Schema.String,
  operation: OperationName,
  parameters: Schema.Unknown,
  priority: Schema.Int,
  isActionActive: Schema.Boolean,
  isMappingActive: Schema.Boolean,
  hookName: Schema.NullOr(Schema.String),
  topicID: Schema.NullOr(TopicID),
  channelID: Schema.NullOr(ChannelID),
  specialChannel: Schema.NullOr(SpecialChannel)
})

/** The actions that hooks and topics map to, including those that are switched off. */
export class MappedActionsRepo extends Context.Tag("casework/MappedActionsRepo")<
  MappedActionsRepo,
  {
    readonly ofHook: (customerID: CustomerID, hookName: string) => Effect.Effect<ReadonlyArray<MappedAction>>
    readonly ofTopics: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<MappedAction>>
    readonly ofTopic: (customerID: CustomerID, topicID: TopicID) => Effect.Effect<ReadonlyArray<MappedAction>>
    /** Whether a request has any actions, or has already started some. Most have none. */
    readonly hasAny: (customerID: CustomerID, request: RunRequest) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    MappedActionsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknown(Schema.Array(Row))
      const ofHook = (hookName: string) => sql`lower(t.hook_name) = lower(${hookName})`
      const ofTopics = (customerID: CustomerID, ticketMessageID: TicketMessageID | null) => sql`
        t.topic_id in (select topic_id from ticket_message_topic
          where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID})`
      const select = (customerID: CustomerID, condition: Statement.Fragment) =>
        sql`
          select t.topic_action_id as "topicActionID", t.action_id as "actionID", a.name, a.operation, a.parameters,
            t.priority, a.is_active as "isActionActive", t.is_active as "isMappingActive", t.hook_name as "hookName",
            t.topic_id as "topicID", t.channel_id as "channelID", t.special_channel as "specialChannel"
          from topic_action t join action a on a.customer_id = t.customer_id and a.action_id = t.action_id
          where t.customer_id = ${customerID} and ${condition}`.pipe(Effect.flatMap(decode), Effect.orDie)
      return {
        ofHook: (customerID, hookName) => select(customerID, ofHook(hookName)),
        ofTopics: (customerID, ticketMessageID) => select(customerID, ofTopics(customerID, ticketMessageID)),
        ofTopic: (customerID, topicID) => select(customerID, sql`t.topic_id = ${topicID}`),
        hasAny: (customerID, { hookName, reason, ticketMessageID }) =>
          sql`
            select 1 where exists (select 1 from topic_action t where t.customer_id = ${customerID}
                and ${hookName === null ? ofTopics(customerID, ticketMessageID) : ofHook(hookName)})
              or exists (select 1 from automation_run
                where customer_id = ${customerID} and reason = ${reason})`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      }
    })
  )
}
