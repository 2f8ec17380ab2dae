import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { RequestId } from "../platform/http/RequestId.ts"
import { fn } from "../platform/telemetry/Fn.ts"

export type AuditEvent =
  | "Impersonated"
  | "PasswordReset"
  | "PasswordChanged"
  | "SecretsRead"
  | "EndUserExported"
  | "EndUserErased"

/** Who did what that somebody may ask about later. */
export class AuditLog extends Context.Tag("casework/AuditLog")<
  AuditLog,
  {
    readonly record: (
      customerID: CustomerID,
      /** None when the operator did it. */
      customerRepID: CustomerRepID | null,
      event: AuditEvent
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = SqlSchema.void({
        Request: Schema.Struct({
          customerID: CustomerID,
          customerRepID: Schema.NullOr(CustomerRepID),
          event: Schema.String,
          requestId: Schema.String
        }),
        execute: (_) => sql`
          insert into audit_log (customer_id, customer_rep_id, event, request_id)
          values (${_.customerID}, ${_.customerRepID}, ${_.event}, ${_.requestId})`
      })
      return {
        record: fn("AuditLog.record")(function* (customerID, customerRepID, event) {
          const requestId = yield* RequestId
          yield* insert({ customerID, customerRepID, event, requestId })
          yield* Effect.logInfo("audit").pipe(Effect.annotateLogs({ customerID, customerRepID, event, requestId }))
        }, Effect.orDie)
      }
    })
  )
}
