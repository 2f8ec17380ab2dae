import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { CustomerID, EndUserID } from "../../schema/Ids.ts"

const uidType: Readonly<Record<ChannelType, string>> = {
  Email: "email",
  Chat: "external",
  Phone: "phone",
  WhatsApp: "phone"
}

/** Where an end user may be reached on a type of channel: the primary UID of that type, then the others, then the profile. */
export class RecipientsRepo extends Context.Tag("casework/RecipientsRepo")<
  RecipientsRepo,
  {
    readonly addressesOf: (
      customerID: CustomerID,
      endUserID: EndUserID,
      channelType: ChannelType
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>() {
  static readonly layer = Layer.effect(
    RecipientsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const list = SqlSchema.findAll({
        Request: Schema.Struct({ customerID: CustomerID, endUserID: EndUserID, uidType: Schema.String }),
        Result: Schema.Struct({ address: Schema.String }),
        execute: (_) => sql`
          select address from (
            select uid as address, case when is_primary then 0 else 1 end as rank, end_user_uid_id as number
            from end_user_uid where customer_id = ${_.customerID} and end_user_id = ${_.endUserID}
              and lower(uid_type) = ${_.uidType}
            union all
            select case ${_.uidType} when 'email' then email when 'phone' then phone end, 2, 0
            from end_user where customer_id = ${_.customerID} and end_user_id = ${_.endUserID}
          ) known where address is not null order by rank, number`
      })
      return {
        addressesOf: (customerID, endUserID, channelType) =>
          list({ customerID, endUserID, uidType: uidType[channelType] }).pipe(
            Effect.map((rows) => rows.map(({ address }) => address)),
            Effect.orDie
          )
      }
    })
  )
}
