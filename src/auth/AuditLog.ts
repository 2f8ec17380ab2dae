import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, CustomerRepID, EndUserID } from "../../schema/Ids.ts"
import { AfterCommit } from "../platform/database/AfterCommit.ts"
import { RequestId } from "../platform/http/RequestId.ts"
import { fn } from "../platform/telemetry/Fn.ts"

export type AuditEvent =
  | "Impersonated"
  | "PasswordReset"
  | "PasswordChanged"
  | "SecretsRead"
  | "EndUserExported"
  | "EndUserErased"

type About = { readonly endUserID: EndUserID } | { readonly aboutRepID: CustomerRepID }

/** Who did what that somebody may ask about later. */
export class AuditLog extends Context.Tag("casework/AuditLog")<
  AuditLog,
  {
    readonly record: (
      customerID: CustomerID,
      /** None when the operator did it. */
      customerRepID: CustomerRepID | null,
      event: AuditEvent,
      /** Whom it was about, when that is an end user, or a representative whose password it was. */
      about?: About
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
          endUserID: Schema.NullOr(EndUserID),
          aboutRepID: Schema.NullOr(CustomerRepID),
          requestId: Schema.String
        }),
        execute: (_) => sql`
          insert into audit_log (customer_id, customer_rep_id, event, about_end_user, about_customer_rep, request_id)
          values (${_.customerID}, ${_.customerRepID}, ${_.event}, ${_.endUserID}, ${_.aboutRepID}, ${_.requestId})`
      })
      return {
        record: fn("AuditLog.record")(function* (customerID, customerRepID, event, about) {
          const requestId = yield* RequestId
          yield* insert({ customerID, customerRepID, event, endUserID: null, aboutRepID: null, ...about, requestId })
          const line = Effect.logInfo("audit").pipe(
            Effect.annotateLogs({ customerID, customerRepID, event, requestId, ...about })
          )
          yield* (yield* AfterCommit)(line)
        }, Effect.orDie)
      }
    })
  )
}
