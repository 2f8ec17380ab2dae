import type { SqlClient } from "@effect/sql"
import type { Schema } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { Target, targetFilters } from "../../schema/MappingTarget.ts"
import { whenGiven } from "../platform/database/Filters.ts"
import { ignoringCase } from "../platform/database/PagedQuery.ts"

/** The columns that say what a mapping belongs to, the same in both mapping tables. */
export const targetColumns = `topic_id as "topicID", hook_name as "hookName", channel_id as "channelID",
  special_channel as "specialChannel"`

export const targetSortBy = {
  topicID: "topic_id",
  hookName: ignoringCase("hook_name"),
  channelID: "channel_id",
  specialChannel: ignoringCase("special_channel")
}

type TargetFilters = Schema.Struct.Type<typeof targetFilters>

export const targetConditions = (sql: SqlClient.SqlClient, customerID: CustomerID, filters: TargetFilters) => [
  sql`customer_id = ${customerID}`,
  ...whenGiven(filters.topicId, (topicID) => sql`topic_id = ${topicID}`),
  ...whenGiven(filters.hookName, (hookName) => sql`lower(hook_name) = lower(${hookName})`),
  ...whenGiven(filters.channelId, (channelID) => sql`channel_id = ${channelID}`)
]

export const targetValues = ({ channelID, hookName, specialChannel, topicID }: Target) => ({
  topic_id: topicID,
  hook_name: hookName,
  channel_id: channelID,
  special_channel: specialChannel
})
