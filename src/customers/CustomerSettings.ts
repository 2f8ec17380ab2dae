import { Context, Effect, Layer, Redacted } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { readSecret } from "../platform/secrets/Masking.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { CustomerProfileRepo, type StoredCustomer } from "./CustomerProfileRepo.ts"
import { forEachSecret, type SecretField, secretPlace } from "./ProfileColumns.ts"

export type CustomerWithSecrets = Omit<StoredCustomer, SecretField> & {
  readonly [Field in SecretField]: Redacted.Redacted | null
}

/** The customer as the service itself uses it: with decrypted secrets, redacted so that no log shows them. */
export class CustomerSettings extends Context.Tag("casework/CustomerSettings")<
  CustomerSettings,
  { readonly get: (customerID: CustomerID) => Effect.Effect<CustomerWithSecrets> }
>() {
  static readonly layer = Layer.effect(
    CustomerSettings,
    Effect.gen(function* () {
      const repo = yield* CustomerProfileRepo
      const secrets = yield* Secrets
      return {
        get: fn("CustomerSettings.get")(function* (customerID) {
          const stored = yield* repo.get(customerID)
          const opened = yield* Effect.all(
            forEachSecret((field) =>
              Effect.map(readSecret(secrets, secretPlace(customerID, field), stored[field]), (plain) =>
                plain === null ? null : Redacted.make(plain)
              )
            )
          )
          return { ...stored, ...opened }
        })
      }
    })
  )
}
