import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import { Retrieval } from "../../schema/Documents.ts"
import { BadGateway, BadRequest } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { boundedCall, type CallLimits } from "../platform/outbound/BoundedCall.ts"
import { GuardedHttpClient } from "../platform/outbound/Outbound.ts"
import { confirmClaimNow } from "../platform/queue/JobClaim.ts"
import { readSecret } from "../platform/secrets/Masking.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { overridden } from "./ApiCredentials.ts"
import { secretPlace } from "./DocumentColumns.ts"
import type { DocumentFields } from "./DocumentsRepo.ts"
import type { Values } from "./Placeholders.ts"
import { firstOf, PlaceholderValues } from "./PlaceholderValues.ts"
import { retrievalRequest, templatesOf } from "./RetrievalRequest.ts"

/** How long a retrieval may take and how much it may return. */
export class RetrievalLimits extends Context.Reference<RetrievalLimits>()("casework/RetrievalLimits", {
  defaultValue: (): CallLimits => ({ total: Duration.seconds(10), largestBody: 1024 * 1024 })
}) {}

/** Runs a data retrieval document against the external API. Not inside a transaction: it may take up to 10 seconds. */
export class DataRetrieval extends Context.Tag("casework/DataRetrieval")<
  DataRetrieval,
  {
    readonly run: (
      customerID: CustomerID,
      document: DocumentFields,
      values: Values
    ) => Effect.Effect<Retrieval, BadRequest | BadGateway>
  }
>() {
  static readonly layer = Layer.effect(
    DataRetrieval,
    Effect.suspend(() => make)
  )
}

const redacted = (plain: string | null) => (plain === null ? null : Redacted.make(plain))

const make = Effect.gen(function* () {
  const client = yield* GuardedHttpClient
  const limits = yield* RetrievalLimits
  const customers = yield* CustomerSettings
  const secrets = yield* Secrets
  const placeholders = yield* PlaceholderValues

  const findAccess = fn("DataRetrieval.findAccess")(function* (customerID: CustomerID, document: DocumentFields) {
    const open = (field: "overrideApiPassword" | "overrideApiToken") =>
      Effect.map(readSecret(secrets, secretPlace(customerID, field), document[field]), redacted)
    const customer = yield* customers.get(customerID)
    return overridden(
      {
        baseUrl: document.overrideApiBaseUrl,
        username: document.overrideApiUsername,
        password: yield* open("overrideApiPassword"),
        token: yield* open("overrideApiToken"),
        authenticationType: document.overrideApiAuthenticationType
      },
      {
        baseUrl: customer.apiBaseUrl,
        username: customer.apiUsername,
        password: customer.apiPassword,
        token: customer.apiToken,
        authenticationType: customer.apiAuthenticationType
      }
    )
  })

  return DataRetrieval.of({
    run: fn("DataRetrieval.run")(function* (customerID, document, values) {
      if (!document.isDataRetrievalProcess || document.apiEndpoint === null) {
        return yield* BadRequest.of("This is a static document: it retrieves no data.")
      }
      const call = {
        endpoint: document.apiEndpoint,
        method: document.apiMethod,
        headers: document.apiHeaders,
        bodyTemplate: document.apiBodyTemplate
      }
      const builtIn = yield* placeholders.of(customerID, templatesOf(call))
      const access = yield* findAccess(customerID, document)
      const request = yield* retrievalRequest(call, access, firstOf(values, builtIn))
      yield* confirmClaimNow
      const started = yield* Clock.currentTimeNanos
      const { body, contentType, status } = yield* boundedCall(client, request, limits).pipe(
        Effect.catchTags({
          CallBlocked: ({ message }) => BadRequest.of(message),
          CallFailed: ({ message }) => BadGateway.of(message)
        })
      )
      const durationMs = Math.round(Number((yield* Clock.currentTimeNanos) - started) / 1e6)
      return new Retrieval({ status, contentType, body, durationMs })
    })
  })
})
