import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"
import type { Feature } from "./Features.ts"

const Summary = Schema.Struct({ customerID: CustomerID, name: Schema.String })
export type CustomerSummary = typeof Summary.Type

export class CustomersRepo extends Context.Tag("casework/CustomersRepo")<
  CustomersRepo,
  {
    readonly insert: (name: string) => Effect.Effect<CustomerID, Duplicate>
    readonly findByName: (name: string) => Effect.Effect<Option.Option<CustomerSummary>>
    /** This and the methods below return whether they changed anything. */
    readonly addHostname: (customerID: CustomerID, hostname: string) => Effect.Effect<boolean>
    readonly removeHostname: (customerID: CustomerID, hostname: string) => Effect.Effect<boolean>
    readonly addFeature: (customerID: CustomerID, feature: Feature) => Effect.Effect<boolean>
    readonly removeFeature: (customerID: CustomerID, feature: Feature) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    CustomersRepo,
    Effect.suspend(() => make)
  )
}

const changedSomething = <A, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  rows.pipe(
    Effect.map((changed) => changed.length > 0),
    Effect.orDie
  )

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
  const Named = Schema.Struct({ customerID: CustomerID, value: Schema.String })
  const Changed = Schema.Struct({ customerID: CustomerID })
  const addHostname = SqlSchema.findAll({
    Request: Named,
    Result: Changed,
    execute: (_) => sql`
      insert into login_hostname (customer_id, hostname) values (${_.customerID}, lower(${_.value}))
      on conflict do nothing returning customer_id as "customerID"`
  })
  const removeHostname = SqlSchema.findAll({
    Request: Named,
    Result: Changed,
    execute: (_) => sql`
      delete from login_hostname where customer_id = ${_.customerID} and hostname = lower(${_.value})
      returning customer_id as "customerID"`
  })
  const addFeature = SqlSchema.findAll({
    Request: Named,
    Result: Changed,
    execute: (_) => sql`
      insert into customer_feature (customer_id, feature) values (${_.customerID}, ${_.value})
      on conflict do nothing returning customer_id as "customerID"`
  })
  const removeFeature = SqlSchema.findAll({
    Request: Named,
    Result: Changed,
    execute: (_) => sql`
      delete from customer_feature where customer_id = ${_.customerID} and feature = ${_.value}
      returning customer_id as "customerID"`
  })
  return CustomersRepo.of({
    insert: (name) =>
      insert(name).pipe(
        Effect.map((row) => row.customerID),
        failOnDuplicate
      ),
    findByName: (name) => findByName(name).pipe(Effect.orDie),
    addHostname: (customerID, value) => changedSomething(addHostname({ customerID, value })),
    removeHostname: (customerID, value) => changedSomething(removeHostname({ customerID, value })),
    addFeature: (customerID, value) => changedSomething(addFeature({ customerID, value })),
    removeFeature: (customerID, value) => changedSomething(removeFeature({ customerID, value }))
  })
})
