import { Headers, type HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { BadRequest, PayloadTooLarge, UnsupportedMediaType } from "../../../schema/Errors.ts"
import { bindNames, bindQuery } from "./NameBinding.ts"
import type { Route } from "./Routes.ts"

export const largestJson = 1024 * 1024

const isJson = (contentType: string | undefined) =>
  contentType === undefined || /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)

/** The body as text, when it has the right type and size; both are looked at only after the token. */
const readJsonText = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.gen(function* () {
    const contentType = request.headers["content-type"]
    if (!isJson(contentType)) {
      return yield* Effect.fail(
        new UnsupportedMediaType({ message: `Send the body as application/json, not as ${contentType}.` })
      )
    }
    if (Number(request.headers["content-length"] ?? 0) > largestJson) {
      return yield* Effect.fail(new PayloadTooLarge({ message: "A JSON body may have up to 1 MiB." }))
    }
    return yield* request.text
  })

const parseJson = (text: string) =>
  text.trim() === ""
    ? BadRequest.of("Send a JSON body.")
    : Effect.try({
        try: (): unknown => JSON.parse(text),
        catch: (error) =>
          new BadRequest({
            message: `The body is not valid JSON: ${error instanceof Error ? error.message : "unreadable"}.`
          })
      })

/**
 * The request as the route's schema spells it. Derived from the original, so that the socket below stays the same; the
 * decoder asks for `json` whatever the caller called it, and gets the refusal from here.
 */
export const bindRequest = (
  original: HttpServerRequest.HttpServerRequest,
  route: Route,
  url: string,
  method: string = original.method
): HttpServerRequest.HttpServerRequest => {
  const text = Effect.orDie(readJsonText(original))
  const json = text.pipe(
    Effect.flatMap(parseJson),
    Effect.map((value) => bindNames(value, route.body)),
    Effect.orDie
  )
  return Object.create(original, {
    url: { value: bindQuery(url, route.query.names) },
    method: { value: method },
    ...(route.takesJson && {
      headers: { value: Headers.set(original.headers, "content-type", "application/json") },
      text: { value: text },
      json: { value: json }
    })
  })
}
