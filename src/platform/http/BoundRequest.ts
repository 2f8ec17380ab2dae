import { Headers, type HttpServerRequest } from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Stream } from "effect"
import { UnsupportedMediaType } from "../../../schema/Errors.ts"
import { formParts, isForm } from "./FormBody.ts"
import { parseJson } from "./JsonText.ts"
import { bindNames, bindQuery } from "./NameBinding.ts"
import { decodeText, largestJson, readBody } from "./RequestBody.ts"
import type { Route } from "./Routes.ts"

type Request = HttpServerRequest.HttpServerRequest

const isJson = (contentType: string) => /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)

const charsetOf = (contentType: string) => /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8"

/** What is wrong with the way the body is sent; undefined when nothing is. */
const unsupported = (request: Request, takes: "json" | "multipart"): string | undefined => {
  const contentType = request.headers["content-type"]
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return `Send the body without Content-Encoding, not as ${encoding}.`
  }
  if (takes === "multipart") {
    return contentType !== undefined && isForm(contentType)
      ? undefined
      : `Send the body as multipart/form-data with a boundary, not as ${contentType ?? "nothing"}.`
  }
  if (contentType === undefined) return undefined
  if (!isJson(contentType)) return `Send the body as application/json, not as ${contentType || "nothing"}.`
  return /^(?:utf-?8|us-ascii)$/i.test(charsetOf(contentType))
    ? undefined
    : `Send the body in UTF-8, not in ${charsetOf(contentType)}.`
}

const hasNoBody = ({ headers }: Request) =>
  headers["content-length"] === "0" ||
  (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)

const refusal = (request: Request, takes: "json" | "multipart") => {
  const message = unsupported(request, takes)
  return message === undefined ? undefined : Effect.die(new UnsupportedMediaType({ message }))
}

/** Read at most once, and only when somebody asks: the token is looked at before the body. */
const textOf = (request: Request): Effect.Effect<string> => {
  let known: string | undefined
  const read = Effect.suspend(() => readBody(NodeHttpServerRequest.toIncomingMessage(request), largestJson)).pipe(
    Effect.flatMap(decodeText),
    Effect.tap((text) => {
      known = text
    }),
    Effect.orDie
  )
  return Effect.suspend(() => (known === undefined ? read : Effect.succeed(known)))
}

const asJson = (request: Request, route: Route) => {
  const body = textOf(request)
  // Of what is not there nobody minds the type.
  const needsNone = route.mayBeEmpty && hasNoBody(request)
  const text = needsNone ? body : Effect.suspend(() => refusal(request, "json") ?? body)
  const json = text.pipe(
    Effect.flatMap((given) => (given.trim() === "" && route.mayBeEmpty ? Effect.succeed({}) : parseJson(given))),
    Effect.map((value) => bindNames(value, route.body)),
    Effect.orDie
  )
  return {
    headers: { value: Headers.set(request.headers, "content-type", "application/json") },
    text: { value: text },
    json: { value: json }
  }
}

/** A form that is none would be read as JSON: every way of reading it then says what to send. */
const asForm = (request: Request, route: Route) => {
  const refused = refusal(request, "multipart")
  return refused === undefined
    ? formParts(request, route.largestForm)
    : {
        headers: { value: Headers.set(request.headers, "content-type", "application/json") },
        text: { value: refused },
        json: { value: refused },
        multipart: { value: refused },
        multipartStream: { value: Stream.fromEffect(refused) }
      }
}

const withProperties = (original: Request, url: string, properties: PropertyDescriptorMap): Request =>
  Object.defineProperties(original.modify({ url }), properties)

/**
 * The request as the route's schema spells it, over the same socket. The decoder asks for `json` whatever the caller
 * called it, and gets the refusal from here.
 */
export const bindRequest = (original: Request, route: Route, url: string): Request => {
  const bound = bindQuery(url, route.query.names)
  switch (route.takes) {
    case "json":
      return withProperties(original, bound, asJson(original, route))
    case "multipart":
      return withProperties(original, bound, asForm(original, route))
    case "nothing":
      if (route.method !== "GET") return withProperties(original, bound, { text: { value: textOf(original) } })
      return bound === original.url ? original : original.modify({ url: bound })
  }
}

/** A request for what this one is about to change. */
export const bindRead = (original: Request, route: Route): Request =>
  withProperties(bindRequest(original, route, original.url), original.url, { method: { value: "GET" } })
