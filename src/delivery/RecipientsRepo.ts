import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID, CustomerID, EndUserID, TicketID } from "../../schema/Ids.ts"

const uidType: Readonly<Record<ChannelType, string>> = {
  Email: "email",
  Chat: "external",
  Phone: "phone",
  WhatsApp: "phone"
}

export class RecipientsRepo extends Context.Tag("casework/RecipientsRepo")<
  RecipientsRepo,
  {
    /** The addresses of an end user for a type of channel: the primary UID, then other UIDs, then the profile. */
    readonly addressesOf: (
      customerID: CustomerID,
      endUserID: EndUserID,
      channelType: ChannelType
    ) => Effect.Effect<ReadonlyArray<string>>
    /** The sender addresses of the last message that a person wrote in a ticket on a channel, most reliable first. */
    readonly lastSenderIn: (
      customerID: CustomerID,
      ticketID: TicketID,
      channelID: ChannelID
    ) => Effect.Effect<ReadonlyArray<string | null>>
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
      const lastSender = SqlSchema.findAll({
        Request: Schema.Struct({ customerID: CustomerID, ticketID: TicketID, channelID: ChannelID }),
        Result: Schema.Struct({ fromAddress: Schema.NullOr(Schema.String), uid: Schema.NullOr(Schema.String) }),
        execute: (_) => sql`
          select from_address as "fromAddress", uid from ticket_message
          where customer_id = ${_.customerID} and ticket_id = ${_.ticketID} and channel_id = ${_.channelID}
            and sender_type = 'EndUser' and not is_automatic
          order by created_at desc, ticket_message_id desc limit 1`
      })
      return {
        addressesOf: (customerID, endUserID, channelType) =>
          list({ customerID, endUserID, uidType: uidType[channelType] }).pipe(
            Effect.map((rows) => rows.map(({ address }) => address)),
            Effect.orDie
          ),
        lastSenderIn: (customerID, ticketID, channelID) =>
          lastSender({ customerID, ticketID, channelID }).pipe(
            Effect.map((rows) => rows.flatMap(({ fromAddress, uid }) => [fromAddress, uid])),
            Effect.orDie
          )
      }
    })
  )
}
