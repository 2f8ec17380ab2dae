import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { type Duplicate, failOnDuplicate } from "../platform/Duplicate.ts"

const Summary = Schema.Struct({ customerID: CustomerID, name: Schema.String })
export type CustomerSummary = typeof Summary.Type

export class CustomersRepo extends Context.Tag("casework/CustomersRepo")<
  CustomersRepo,
  {
    readonly insert: (name: string) => Effect.Effect<CustomerID, Duplicate>
    readonly findByName: (name: string) => Effect.Effect<Option.Option<CustomerSummary>>
    readonly all: Effect.Effect<ReadonlyArray<CustomerSummary>>
    readonly addHostname: (customerID: CustomerID, hostname: string) => Effect.Effect<void>
    readonly addFeature: (customerID: CustomerID, feature: string) => Effect.Effect<void>
    readonly removeFeature: (customerID: CustomerID, feature: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    CustomersRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const insert = SqlSchema.single({
    Request: Schema.String,
    Result: Schema.Struct({ customerID: CustomerID }),
    execute: (name) => sql`insert into customer (name) values (${name}) returning customer_id as "customerID"`
  })
  const findByName = SqlSchema.findOne({
    Request: Schema.String,
    Result: Summary,
    execute: (name) => sql`select customer_id as "customerID", name from customer where lower(name) = lower(${name})`
  })
  const all = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Summary,
    execute: () => sql`select customer_id as "customerID", name from customer order by customer_id`
  })
  const Named = Schema.Struct({ customerID: CustomerID, value: Schema.String })
  const addHostname = SqlSchema.void({
    Request: Named,
    execute: (_) => sql`
      insert into login_hostname (customer_id, hostname) values (${_.customerID}, lower(${_.value}))
      on conflict do nothing`
  })
  const addFeature = SqlSchema.void({
    Request: Named,
    execute: (_) => sql`
      insert into customer_feature (customer_id, feature) values (${_.customerID}, ${_.value}) on conflict do nothing`
  })
  const removeFeature = SqlSchema.void({
    Request: Named,
    execute: (_) => sql`
      delete from customer_feature where customer_id = ${_.customerID} and feature = ${_.value}`
  })
  return CustomersRepo.of({
    insert: (name) =>
      insert(name).pipe(
        Effect.map((row) => row.customerID),
        failOnDuplicate
      ),
    findByName: (name) => findByName(name).pipe(Effect.orDie),
    all: all(undefined).pipe(Effect.orDie),
    addHostname: (customerID, value) => addHostname({ customerID, value }).pipe(Effect.orDie),
    addFeature: (customerID, value) => addFeature({ customerID, value }).pipe(Effect.orDie),
    removeFeature: (customerID, value) => removeFeature({ customerID, value }).pipe(Effect.orDie)
  })
})
