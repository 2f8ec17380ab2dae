import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { CustomerID, EndUserID } from "../../schema/Ids.ts"

const uidType: Readonly<Record<ChannelType, string>> = {
  Email: "email",
  Chat: "external",
  Phone: "phone",
  WhatsApp: "phone"
}

/** Where an end user can be reached on a type of channel: the primary UID of that type, else any, else the profile. */
export class RecipientsRepo extends Context.Tag("casework/RecipientsRepo")<
  RecipientsRepo,
  {
    readonly addressOf: (
      customerID: CustomerID,
      endUserID: EndUserID,
      channelType: ChannelType
    ) => Effect.Effect<Option.Option<string>>
  }
>() {
  static readonly layer = Layer.effect(
    RecipientsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = SqlSchema.findOne({
        Request: Schema.Struct({ customerID: CustomerID, endUserID: EndUserID, uidType: Schema.String }),
        Result: Schema.Struct({ address: Schema.NullOr(Schema.String) }),
        execute: (_) => sql`
          select coalesce((
              select uid from end_user_uid u
              where u.customer_id = e.customer_id and u.end_user_id = e.end_user_id
                and lower(uid_type) = ${_.uidType}
              order by is_primary desc, end_user_uid_id limit 1),
            case ${_.uidType} when 'email' then email when 'phone' then phone end) as address
          from end_user e where e.customer_id = ${_.customerID} and e.end_user_id = ${_.endUserID}`
      })
      return {
        addressOf: (customerID, endUserID, channelType) =>
          find({ customerID, endUserID, uidType: uidType[channelType] }).pipe(
            Effect.map(Option.flatMap(({ address }) => Option.fromNullable(address))),
            Effect.orDie
          )
      }
    })
  )
}
