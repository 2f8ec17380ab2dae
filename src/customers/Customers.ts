import { Context, Effect, Layer, Option, Redacted } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { Customer, CustomerSecrets, type CustomerUpdate, Model } from "../../schema/Customers.ts"
import { BadRequest, Conflict } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { AuditLog } from "../auth/AuditLog.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { masked, writtenSecret } from "../platform/secrets/Masking.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"
import { CustomerProfileRepo } from "./CustomerProfileRepo.ts"
import { CustomerSettings } from "./CustomerSettings.ts"
import { modelProblems } from "./DefaultModels.ts"
import { ModelsRepo } from "./ModelsRepo.ts"
import { forEachSecret, secretPlace } from "./ProfileColumns.ts"

export class Customers extends Context.Tag("casework/Customers")<
  Customers,
  {
    readonly get: () => Effect.Effect<Customer, never, CurrentRep>
    readonly update: (change: CustomerUpdate) => Effect.Effect<void, BadRequest | Conflict, CurrentRep>
    readonly secrets: () => Effect.Effect<CustomerSecrets, never, CurrentRep>
    readonly models: () => Effect.Effect<ReadonlyArray<Model>, never, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Customers,
    Effect.suspend(() => make)
  )
}

const inClear = (secret: Redacted.Redacted | null) => (secret === null ? null : Redacted.value(secret))

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* CustomerProfileRepo
  const settings = yield* CustomerSettings
  const models = yield* ModelsRepo
  const reps = yield* RepresentativesRepo
  const secrets = yield* Secrets
  const audit = yield* AuditLog

  const repProblems = fn("Customers.repProblems")(function* (
    customerID: CustomerID,
    { defaultCustomerRepID }: CustomerUpdate
  ) {
    if (defaultCustomerRepID === undefined || defaultCustomerRepID === null) return []
    // Locked, so that it is not deleted meanwhile; after the customer's row, the same order as when one is deleted.
    const rep = yield* reps.findForUpdate(customerID, defaultCustomerRepID)
    return Option.isSome(rep) ? [] : [{ path: "defaultCustomerRepID", message: "is not one of your representatives" }]
  })

  return Customers.of({
    get: fn("Customers.get")(function* () {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo.get(customerID)
      return new Customer({ ...stored, ...forEachSecret((field) => masked(stored[field])) })
    }),

    update: fn("Customers.update")(function* (change) {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo.getForUpdate(customerID)
      const problems = [
        ...modelProblems(change, stored, yield* models.listUsable(customerID)),
        ...(yield* repProblems(customerID, change))
      ]
      if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
      const written = forEachSecret((field) =>
        writtenSecret(secrets, secretPlace(customerID, field), change[field], stored[field])
      )
      yield* repo
        .update(customerID, { ...stored, ...change, ...written })
        .pipe(
          Effect.catchTag("Duplicate", () => Conflict.of("Another organisation already uses this telephonyAccountSID."))
        )
    }, inTransaction),

    secrets: fn("Customers.secrets")(function* () {
      const { customerID, customerRepID } = yield* CurrentRep
      const { aiProviderApiKey, telephonyAccountSID, telephonyAuthToken } = yield* settings.get(customerID)
      yield* audit.record(customerID, customerRepID, "SecretsRead")
      return new CustomerSecrets({
        aiProviderApiKey: inClear(aiProviderApiKey),
        telephonyAccountSID,
        telephonyAuthToken: inClear(telephonyAuthToken)
      })
    }),

    models: fn("Customers.models")(function* () {
      const { customerID } = yield* CurrentRep
      const usable = yield* models.listUsable(customerID)
      return usable.map((model) => new Model(model))
    })
  })
})
