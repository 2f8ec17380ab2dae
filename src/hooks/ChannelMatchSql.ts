import type { SqlClient } from "@effect/sql"
import { Option } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { ChannelID } from "../../schema/Ids.ts"

export interface HookChannel {
  readonly channelID: ChannelID
  readonly channelType: ChannelType
}

/** Whether a hook's row, aliased as t, applies to the channel; without one, whether it applies to every channel. */
export const matchesChannel = (sql: SqlClient.SqlClient, channel: Option.Option<HookChannel>) =>
  sql.or([
    sql`(t.channel_id is null and t.special_channel is null)`,
    sql`t.special_channel = 'All'`,
    ...Option.match(channel, {
      onNone: () => [],
      onSome: ({ channelID, channelType }) => [
        sql`t.channel_id = ${channelID}`,
        sql`t.special_channel = ${channelType}`
      ]
    })
  ])
