import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, CustomerRepID, EndUserID } from "../../schema/Ids.ts"

const Entry = Schema.Struct({
  customerRepID: Schema.NullOr(CustomerRepID),
  event: Schema.String,
  endUserID: Schema.NullOr(EndUserID),
  aboutRepID: Schema.NullOr(CustomerRepID),
  requestId: Schema.String
})

export class AuditLogRepo extends Context.Tag("casework/AuditLogRepo")<
  AuditLogRepo,
  { readonly insert: (customerID: CustomerID, entry: typeof Entry.Type) => Effect.Effect<void> }
>() {
  static readonly layer = Layer.effect(
    AuditLogRepo,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const insert = SqlSchema.void({
        Request: Schema.Struct({ customerID: CustomerID, ...Entry.fields }),
        execute: (_) => sql`
          insert into audit_log (customer_id, customer_rep_id, event, about_end_user, about_customer_rep, request_id)
          values (${_.customerID}, ${_.customerRepID}, ${_.event}, ${_.endUserID}, ${_.aboutRepID}, ${_.requestId})`
      })
      return { insert: (customerID, entry) => insert({ customerID, ...entry }).pipe(Effect.orDie) }
    })
  )
}
