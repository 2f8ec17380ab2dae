import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { Role } from "../../schema/Authentication.ts"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { type Duplicate, failOnDuplicate } from "../platform/Duplicate.ts"

const NewRep = Schema.Struct({
  username: Schema.String,
  passwordHash: Schema.String,
  role: Role,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
})

export class RepresentativesRepo extends Context.Tag("casework/RepresentativesRepo")<
  RepresentativesRepo,
  {
    readonly insert: (customerID: CustomerID, rep: typeof NewRep.Type) => Effect.Effect<CustomerRepID, Duplicate>
  }
>() {
  static readonly layer = Layer.effect(
    RepresentativesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = SqlSchema.single({
        Request: Schema.Struct({ customerID: CustomerID, ...NewRep.fields }),
        Result: Schema.Struct({ customerRepID: CustomerRepID }),
        execute: (_) => sql`
          insert into customer_rep (customer_id, username, password_hash, role, name, email)
          values (${_.customerID}, ${_.username}, ${_.passwordHash}, ${_.role}, ${_.name}, ${_.email})
          returning customer_rep_id as "customerRepID"`
      })
      return {
        insert: (customerID, rep) =>
          insert({ customerID, ...rep }).pipe(
            Effect.map((row) => row.customerRepID),
            failOnDuplicate
          )
      }
    })
  )
}
