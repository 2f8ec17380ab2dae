import { Duration, Effect, Layer } from "effect"
import type { DocumentCreate } from "../../schema/Documents.ts"
import { RetrievalLimits } from "../../src/documents/DataRetrieval.ts"
import { clientOf, quietApp } from "./TestApp.ts"
import { UpstreamServer } from "./UpstreamServer.ts"

/** The service next to an external API that it may call, with limits that a test can wait for. */
export const upstreamApp = (total = Duration.seconds(10), app = quietApp) =>
  Layer.unwrapEffect(Effect.map(UpstreamServer, ({ port }) => app({ OUTBOUND_ALLOW: `127.0.0.1:${port}` }))).pipe(
    Layer.provide(Layer.succeed(RetrievalLimits, { total, largestBody: 1024 * 1024 })),
    Layer.provideMerge(UpstreamServer.layer)
  )

/** A data retrieval document of Acme that calls a path of the external API. */
export const retrievalOf = (apiEndpoint: string, fields: Partial<DocumentCreate> = {}) =>
  Effect.gen(function* () {
    const upstream = yield* UpstreamServer
    const { documents } = yield* clientOf("acme-admin")
    const { documentID } = yield* documents.createDocument({
      payload: {
        name: "Retrieval",
        isDataRetrievalProcess: true,
        overrideApiBaseUrl: upstream.url,
        overrideApiAuthenticationType: "None",
        apiEndpoint,
        ...fields
      }
    })
    return documentID
  })
