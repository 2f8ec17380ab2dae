import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ChannelID, CustomerID } from "../../schema/Ids.ts"
import type { ReadMail } from "./ReadMail.ts"

/** Mails that lie in a mailbox more than once, as in two folders. */
export const makeMailCopiesRepo = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Whether the channel knows the same mail by another id, and so will not take this one. */
  isCopy: (customerID: CustomerID, channelID: ChannelID, { contentHash, internetMessageID }: ReadMail) =>
    sql`
      select 1 from mail_message
      where customer_id = ${customerID} and channel_id = ${channelID}
        and internet_message_id = ${internetMessageID} and content_hash = ${contentHash}`.pipe(
      Effect.map(({ length }) => length > 0),
      Effect.orDie
    )
}))
