import { Context, Effect, Layer } from "effect"
import type { CustomerID, CustomerRepID, EndUserID } from "../../schema/Ids.ts"
import { AfterCommit } from "../platform/database/AfterCommit.ts"
import { RequestId } from "../platform/RequestId.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AuditLogRepo } from "./AuditLogRepo.ts"

type AuditEvent =
  | "Impersonated"
  | "PasswordReset"
  | "PasswordChanged"
  | "SecretsRead"
  | "EndUserExported"
  | "EndUserErased"

type About = { readonly endUserID: EndUserID } | { readonly aboutRepID: CustomerRepID }

/** Records who did what, for actions that may be questioned later. */
export class AuditLog extends Context.Tag("casework/AuditLog")<
  AuditLog,
  {
    readonly record: (
      customerID: CustomerID,
      /** Null when the operator did it. */
      customerRepID: CustomerRepID | null,
      event: AuditEvent,
      /** The end user that the action was about, or the representative whose password was changed. */
      about?: About
    ) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const repo = yield* AuditLogRepo
      return {
        record: fn("AuditLog.record")(function* (customerID, customerRepID, event, about) {
          const requestId = yield* RequestId
          yield* repo.insert(customerID, {
            customerRepID,
            event,
            endUserID: null,
            aboutRepID: null,
            ...about,
            requestId
          })
          const line = Effect.logInfo("audit").pipe(
            Effect.annotateLogs({ customerID, customerRepID, event, requestId, ...about })
          )
          yield* (yield* AfterCommit)(line)
        })
      }
    })
  ).pipe(Layer.provide(AuditLogRepo.layer))
}
