import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, type Option, Struct } from "effect"
import type { CustomerID, TopicActionID } from "../../schema/Ids.ts"
import {
  TopicAction,
  type TopicActionPage,
  type TopicActionsQuery,
  topicActionPaging
} from "../../schema/TopicActions.ts"
import { whenGiven } from "../platform/database/Filters.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { pagedQuery } from "../platform/database/PagedQuery.ts"
import { targetColumns, targetConditions, targetSortBy, targetValues } from "./TargetColumnsSql.ts"

type TopicActionFields = Omit<TopicAction, "topicActionID">

export class TopicActionsRepo extends Context.Tag("casework/TopicActionsRepo")<
  TopicActionsRepo,
  {
    readonly list: (customerID: CustomerID, query: TopicActionsQuery) => Effect.Effect<TopicActionPage>
    readonly find: (customerID: CustomerID, topicActionID: TopicActionID) => Effect.Effect<Option.Option<TopicAction>>
    /** Skips mappings that exist already. */
    readonly insertNew: (
      customerID: CustomerID,
      mappings: ReadonlyArray<TopicActionFields>
    ) => Effect.Effect<ReadonlyArray<TopicAction>>
    readonly setPriority: (
      customerID: CustomerID,
      topicActionID: TopicActionID,
      priority: number
    ) => Effect.Effect<boolean>
    readonly delete: (customerID: CustomerID, topicActionID: TopicActionID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    TopicActionsRepo,
    Effect.suspend(() => make)
  )
}

const valuesOf = ({ actionID, isActive, priority, ...target }: TopicActionFields) => ({
  ...targetValues(target),
  action_id: actionID,
  priority,
  is_active: isActive
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`topic_action_id as "topicActionID", action_id as "actionID", priority,
    is_active as "isActive", ${targetColumns}`)
  const rows = ownRows(sql, { table: "topic_action", key: "topic_action_id", columns, Result: TopicAction })

  const list = pagedQuery(sql, {
    Result: TopicAction,
    columns,
    from: ({ customerID, query }: { readonly customerID: CustomerID; readonly query: TopicActionsQuery }) =>
      sql`topic_action where ${sql.and([
        ...targetConditions(sql, customerID, query),
        ...whenGiven(query.actionId, (actionID) => sql`action_id = ${actionID}`),
        ...whenGiven(query.isActive, (isActive) => sql`is_active = ${isActive}`)
      ])}`,
    sortBy: {
      topicActionID: "topic_action_id",
      actionID: "action_id",
      priority: "priority",
      isActive: "is_active",
      ...targetSortBy
    },
    optional: Struct.keys(targetSortBy),
    id: "topic_action_id",
    paging: topicActionPaging
  })

  return TopicActionsRepo.of({
    list: (customerID, query) => list({ customerID, query }, query),
    find: rows.find,
    insertNew: (customerID, mappings) => rows.insertNew(customerID, mappings.map(valuesOf)),
    // No unique index covers the priority, so there is no violation to translate.
    setPriority: (customerID, topicActionID, priority) =>
      rows.update(customerID, topicActionID, { priority }).pipe(Effect.orDie),
    delete: rows.delete
  })
})
