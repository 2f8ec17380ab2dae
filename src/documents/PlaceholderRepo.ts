import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"

/** A line of a list: a name and an optional detail. */
const Entry = Schema.Struct({ name: Schema.String, detail: Schema.NullOr(Schema.String) })
export type Entry = typeof Entry.Type

/** What the placeholders of a document are filled from. */
export class PlaceholderRepo extends Context.Tag("casework/PlaceholderRepo")<
  PlaceholderRepo,
  {
    readonly topics: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<Entry>>
    readonly channels: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<Entry>>
    readonly representatives: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<Entry>>
    readonly customerName: (customerID: CustomerID) => Effect.Effect<string>
  }
>() {
  static readonly layer = Layer.effect(
    PlaceholderRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const topics = SqlSchema.findAll({
        Request: CustomerID,
        Result: Entry,
        execute: (customerID) => sql`
          select name, description as detail from topic where customer_id = ${customerID}
          order by lower(name) collate "C", topic_id`
      })
      const channels = SqlSchema.findAll({
        Request: CustomerID,
        Result: Entry,
        execute: (customerID) => sql`
          select name, channel_type as detail from channel
          where customer_id = ${customerID} and deleted_at is null and is_active
          order by lower(name) collate "C", channel_id`
      })
      const representatives = SqlSchema.findAll({
        Request: CustomerID,
        Result: Entry,
        execute: (customerID) => sql`
          select coalesce(nullif(name, ''), username) as name, email as detail from customer_rep
          where customer_id = ${customerID} and deleted_at is null
          order by lower(coalesce(nullif(name, ''), username)) collate "C", customer_rep_id`
      })
      const customer = SqlSchema.single({
        Request: CustomerID,
        Result: Schema.Struct({ name: Schema.String }),
        execute: (customerID) => sql`select name from customer where customer_id = ${customerID}`
      })
      return {
        topics: (customerID) => topics(customerID).pipe(Effect.orDie),
        channels: (customerID) => channels(customerID).pipe(Effect.orDie),
        representatives: (customerID) => representatives(customerID).pipe(Effect.orDie),
        customerName: (customerID) =>
          customer(customerID).pipe(
            Effect.map(({ name }) => name),
            Effect.orDie
          )
      }
    })
  )
}
