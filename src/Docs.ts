import { HttpApi, HttpApiBuilder, HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"

/** An invisible strip below each response is as wide as the page and begins at the text: on a phone it stuck out. */
const customCss = ".parameter-item-trigger { position: relative }"

/** Nothing that would need the Internet or send anything there: the page works offline. */
const scalar = {
  withDefaultFonts: false,
  showToolbar: "never",
  hideClientButton: true,
  telemetry: false,
  customCss,
  authentication: { preferredSecurityScheme: "bearer" }
} as const

/** The page holds megabytes of code for the browser and the whole contract: it is loaded and made when somebody first looks. */
const page = Effect.gen(function* () {
  const { layer } = yield* Effect.promise(() => import("@effect/platform/HttpApiScalar"))
  const router = yield* Effect.provide(
    HttpApiBuilder.Router.router,
    Layer.provideMerge(layer({ path: "/docs", scalar }), HttpApiBuilder.Router.Live)
  )
  const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
  return yield* Effect.orDie(Effect.provideService(router, HttpServerRequest.HttpServerRequest, request))
})

/** The browsable documentation, made from the contract. */
export const Docs = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const api = yield* HttpApi.Api
    const kept = yield* Effect.cached(Effect.uninterruptible(Effect.provideService(page, HttpApi.Api, api)))
    yield* router.get("/docs", kept)
  })
)
