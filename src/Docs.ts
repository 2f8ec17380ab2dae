import { HttpApi, HttpApiBuilder, HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"

/** An invisible full-width strip below each response starts at the text, so it overflowed the page on a phone. */
const customCss = ".parameter-item-trigger { position: relative }"

/** Turns off everything that loads from or sends to the Internet: the page works offline. */
const scalar = {
  withDefaultFonts: false,
  showToolbar: "never",
  hideClientButton: true,
  telemetry: false,
  customCss,
  authentication: { preferredSecurityScheme: "bearer" }
} as const

/** Built on the first request, because the page holds megabytes of browser code and the whole contract. */
const page = Effect.gen(function* () {
  const { layer } = yield* Effect.promise(() => import("@effect/platform/HttpApiScalar"))
  const router = yield* Effect.provide(
    HttpApiBuilder.Router.router,
    Layer.provideMerge(layer({ path: "/docs", scalar }), HttpApiBuilder.Router.Live)
  )
  const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
  return yield* Effect.orDie(Effect.provideService(router, HttpServerRequest.HttpServerRequest, request))
})

/** The browsable documentation, generated from the contract. */
export const Docs = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const api = yield* HttpApi.Api
    const kept = yield* Effect.cached(Effect.uninterruptible(Effect.provideService(page, HttpApi.Api, api)))
    yield* router.get("/docs", kept)
  })
)
