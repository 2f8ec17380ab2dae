import { Headers } from "@effect/platform"
import { Effect, Stream } from "effect"
import { BadRequest, UnsupportedMediaType } from "../../../schema/Errors.ts"
import { refusalOfLists } from "../ListLimits.ts"
import { bindNames, bindQuery } from "../NameBinding.ts"
import { formParts, isForm } from "./FormBody.ts"
import type { FormEvent } from "./FormEvents.ts"
import { parseJson } from "./JsonText.ts"
import type { NodeRequest } from "./NodeRequest.ts"
import { decodeText, largestJson, readBody } from "./RequestBody.ts"
import type { Route } from "./Routes.ts"

const isJson = (contentType: string) => /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)

const charsetOf = (contentType: string) => /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? "utf-8"

const asSent = (contentType: string | undefined) =>
  contentType === undefined || contentType === "" ? "without a Content-Type" : `as ${contentType}`

/** Returns what is wrong with the way the body is sent; undefined if nothing is. */
const unsupported = (request: NodeRequest, takes: "json" | "multipart"): string | undefined => {
  const contentType = request.headers["content-type"]
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return `Send the body without Content-Encoding, not as ${encoding}.`
  }
  if (takes === "multipart") {
    return contentType !== undefined && isForm(contentType)
      ? undefined
      : `Send the body as multipart/form-data with a boundary, not ${asSent(contentType)}.`
  }
  if (contentType === undefined) return undefined
  if (!isJson(contentType)) return `Send the body as application/json, not ${asSent(contentType)}.`
  return /^(?:utf-?8|us-ascii)$/i.test(charsetOf(contentType))
    ? undefined
    : `Send the body in UTF-8, not in ${charsetOf(contentType)}.`
}

const hasNoBody = ({ headers }: NodeRequest) =>
  headers["content-length"] === "0" ||
  (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined)

const emptyForm = new BadRequest({ message: "The request is empty. Send the files as multipart/form-data." })

const refusal = (request: NodeRequest, takes: "json" | "multipart") => {
  if (takes === "multipart" && hasNoBody(request)) return Effect.die(emptyForm)
  const message = unsupported(request, takes)
  return message === undefined ? undefined : Effect.die(new UnsupportedMediaType({ message }))
}

/** The body as text, read at most once and only on demand: the token is checked before the body. */
const textOf = (request: NodeRequest): Effect.Effect<string> => {
  let known: string | undefined
  const remember = (bytes: Buffer) =>
    Effect.map(decodeText(bytes), (text) => {
      known = text
      return text
    })
  const read = Effect.orDie(Effect.flatMap(readBody(request.source, largestJson), remember))
  return Effect.suspend(() => (known === undefined ? read : Effect.succeed(known)))
}

/** The headers with the content type that the decoder expects. */
const calledJson = ({ headers }: NodeRequest) =>
  headers["content-type"] === "application/json" ? headers : Headers.set(headers, "content-type", "application/json")

const asJson = (request: NodeRequest, route: Route) => {
  const body = textOf(request)
  // Without a body the media type does not matter.
  const needsNone = route.mayBeEmpty && hasNoBody(request)
  const text = needsNone ? body : Effect.suspend(() => refusal(request, "json") ?? body)
  const bound = (value: unknown) => {
    const named = bindNames(value, route.body)
    const refused = refusalOfLists(named, route.bodyLimits)
    return refused === undefined ? Effect.succeed(named) : Effect.fail(refused)
  }
  const json = Effect.flatMap(text, (given) =>
    given.trim() === "" && route.mayBeEmpty ? Effect.succeed({}) : Effect.orDie(Effect.flatMap(parseJson(given), bound))
  )
  return { headers: calledJson(request), text, json }
}

/**
 * Reads the body as a form. If it is not one, every way of reading it fails with what to send: the decoder would
 * otherwise read it as JSON.
 */
const asForm = (request: NodeRequest, route: Route) => {
  const refused = refusal(request, "multipart")
  return refused === undefined
    ? formParts(request, route.largestForm)
    : {
        headers: calledJson(request),
        text: refused,
        json: refused,
        multipart: refused,
        multipartStream: Stream.fromEffect(refused)
      }
}

/**
 * Returns the request with names spelled as in the route's schema, over the same socket. The decoder reads `json`
 * whatever content type the caller sent, and gets the refusal from here.
 */
export const bindRequest = (original: NodeRequest, route: Route, given: string): NodeRequest => {
  const url = bindQuery(given, route.query.names)
  switch (route.takes) {
    case "json":
      return original.modify({ url, ...asJson(original, route) })
    case "multipart":
      return original.modify({ url, ...asForm(original, route) })
    case "nothing":
      if (route.method !== "GET") return original.modify({ url, text: textOf(original) })
      return url === original.url ? original : original.modify({ url })
  }
}

/** Adds the form to a bound request; `see` observes it as it is read. */
export const bindForm = (bound: NodeRequest, route: Route, see: (event: FormEvent) => void): NodeRequest =>
  refusal(bound, "multipart") === undefined ? bound.modify(formParts(bound, route.largestForm, see)) : bound

/**
 * Whether the query changes what is read: only the plain resource has an ETag that a change can be tied to. A parameter
 * that the route does not know, or that is false, changes nothing.
 */
export const isView = (route: Route, { url }: NodeRequest) => {
  const start = url.indexOf("?")
  if (start === -1) return false
  const shapes = (name: string, value: string) =>
    route.query.names.has(name.toLowerCase()) && value.toLowerCase() !== "false"
  return [...new URLSearchParams(url.slice(start))].some(([name, value]) => shapes(name, value))
}

/** Returns a GET request for the resource that this request is about to change, without any query. */
export const plainRead = (original: NodeRequest): NodeRequest =>
  original.modify({ method: "GET", url: original.url.replace(/\?.*$/s, "") })
