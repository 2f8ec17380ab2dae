import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { NotFound } from "../schema/Errors.ts"

/** Redirects browsers to the documentation; other clients get a 404. */
export const RootRedirect = HttpApiBuilder.Router.use((router) =>
  router.get(
    "/",
    Effect.gen(function* () {
      const { headers, method } = yield* HttpServerRequest.HttpServerRequest
      return /\btext\/html\b/i.test(headers["accept"] ?? "")
        ? HttpServerResponse.redirect("/docs", { headers: { vary: "Accept" } })
        : yield* NotFound.of(`There is no route ${method} /.`)
    })
  )
)
