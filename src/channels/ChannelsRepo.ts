import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID, CustomerID } from "../../schema/Ids.ts"

export class ChannelsRepo extends Context.Tag("casework/ChannelsRepo")<
  ChannelsRepo,
  {
    /** The type of a channel that is not deleted. */
    readonly findType: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<Option.Option<ChannelType>>
  }
>() {
  static readonly layer = Layer.effect(
    ChannelsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findType = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, channelID: ChannelID }),
    Result: Schema.Struct({ channelType: ChannelType }),
    execute: (_) => sql`
      select channel_type as "channelType" from channel
      where customer_id = ${_.customerID} and channel_id = ${_.channelID} and deleted_at is null`
  })

  return ChannelsRepo.of({
    findType: (customerID, channelID) =>
      findType({ customerID, channelID }).pipe(Effect.orDie, Effect.map(Option.map(({ channelType }) => channelType)))
  })
})
