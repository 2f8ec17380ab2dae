import { HttpApi, OpenApi } from "@effect/platform"
import { Context, Record } from "effect"
import {
  Conflict,
  MethodNotAllowed,
  PayloadTooLarge,
  PreconditionFailed,
  UnprocessableEntity,
  UnsupportedMediaType
} from "./Errors.ts"

/** Route families listed without /api; each of their paths is also served with /api in front. */
export const aliasedFamilies = ["tickets", "ticketMessages", "customerReps"] as const

const aliased = new RegExp(`^/(?:${aliasedFamilies.join("|")})(?:/|$)`, "i")

/** Whether a route is a GET of one resource, whose response carries an ETag. */
export const isSingleResource = (method: string, path: string) =>
  method.toUpperCase() === "GET" && /(?:\/me|\/:\w+|\/\{\w+\})$/.test(path)

const ignoresKeyMark = "x-ignores-idempotency-key"

/** Whether an endpoint ignores Idempotency-Key. */
export class IgnoresIdempotencyKey extends Context.Reference<IgnoresIdempotencyKey>()(
  "casework/IgnoresIdempotencyKey",
  { defaultValue: () => false }
) {}

/** For a POST that neither creates nor sends: it must not hold a transaction open while it calls other services. */
export const ignoresIdempotencyKey = Context.make(IgnoresIdempotencyKey, true).pipe(
  Context.add(OpenApi.Override, { [ignoresKeyMark]: true })
)

/** Whether pages of every origin may read the response: the route needs no login and is as public as a web page. */
export class OpenToEveryOrigin extends Context.Reference<OpenToEveryOrigin>()("casework/OpenToEveryOrigin", {
  defaultValue: () => false
}) {}

/** For routes that a chat window calls from the web site that embeds it. */
export const openToEveryOrigin = Context.make(OpenToEveryOrigin, true)

const answer = (description: string, schema: string) => ({
  description,
  content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } }
})

const header = (name: string, description: string): OpenApi.OpenAPISpecParameter => ({
  name,
  in: "header",
  required: false,
  schema: { type: "string" },
  description
})

const takesBearer = (operation: OpenApi.OpenAPISpecOperation) =>
  operation.security.some((requirement) => "bearer" in requirement)

const withoutKey = <A extends object>(record: A, key: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))

/** Documents in one operation what the conventions add to every operation of its kind. */
const describeOperation = (
  path: string,
  method: string,
  operation: OpenApi.OpenAPISpecOperation,
  /** Whether a GET of the same path returns an ETag. */
  hasETag: boolean
) => {
  const takesToken = takesBearer(operation)
  const takesKey = takesToken && method === "post" && !(ignoresKeyMark in operation)
  const takesIfMatch = takesToken && hasETag && (method === "put" || method === "delete")
  const takesIfNoneMatch = takesToken && isSingleResource(method, path)
  const parameters = [
    ...operation.parameters,
    ...(takesKey ? [header("Idempotency-Key", "1 to 255 characters; the response is kept for 24 hours")] : []),
    ...(takesIfMatch ? [header("If-Match", "An ETag; returns 412 if the resource has changed since")] : []),
    ...(takesIfNoneMatch ? [header("If-None-Match", "An ETag; returns 304 if the resource is unchanged")] : [])
  ]
  const hasBody = operation.requestBody !== undefined
  // A request without a body or parameters cannot be invalid.
  const canBeInvalid = hasBody || takesKey || operation.parameters.length > 0
  const responses: OpenApi.OpenAPISpecResponses = {
    ...(hasBody && {
      413: answer("The request body is larger than this route accepts", "PayloadTooLarge"),
      415: answer("The request body has a type that this route does not accept", "UnsupportedMediaType")
    }),
    ...(takesKey && {
      409: answer("A request with the same Idempotency-Key is still running", "Conflict"),
      422: answer(
        "The Idempotency-Key was used before with another body or query, or by another role",
        "UnprocessableEntity"
      )
    }),
    ...(takesIfMatch && {
      412: answer("The resource has changed since the ETag in If-Match was read", "PreconditionFailed")
    }),
    ...(takesIfNoneMatch && { 304: { description: "Not changed since the given ETag" } }),
    ...withoutKey(operation.responses, "400"),
    // The decoder's own error never leaves the service: the response is a BadRequest.
    ...(canBeInvalid && { 400: answer("The request is not valid", "BadRequest") })
  }
  const other = path in listedWithApi ? path : `/api${path}`
  const alias = aliased.test(path) ? `\n\nAlso available at \`${other}\`.` : ""
  return { ...operation, description: `${operation.description ?? ""}${alias}`, parameters, responses }
}

/** Paths of the families served with and without /api that are listed with it. */
const listedWithApi: Readonly<Record<string, string>> = { "/tickets/{id}/messages": "/api/Tickets/{id}/messages" }

const describePaths = (paths: OpenApi.OpenAPISpecPaths) =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      listedWithApi[path] ?? path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          describeOperation(path, method, operation, item.get !== undefined && isSingleResource("get", path))
        ])
      )
    ])
  )

/** Allows additional properties: unknown ones in requests are ignored, and responses may gain new ones. */
const open = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(open)
  if (typeof schema !== "object" || schema === null) return schema
  const kept = Object.entries(schema).filter(([key, value]) => key !== "additionalProperties" || value !== false)
  return Object.fromEntries(kept.map(([key, value]) => [key, open(value)]))
}

const decoderSchemas = new Set(["HttpApiDecodeError", "Issue", "PropertyKey"])

export const conventions = Context.make(HttpApi.AdditionalSchemas, [
  MethodNotAllowed,
  Conflict,
  PreconditionFailed,
  PayloadTooLarge,
  UnsupportedMediaType,
  UnprocessableEntity
]).pipe(
  Context.add(OpenApi.Transform, (spec) => ({
    ...spec,
    paths: open(describePaths(spec["paths"])),
    components: {
      ...spec["components"],
      schemas: open(Record.filter(spec["components"].schemas, (_, name) => !decoderSchemas.has(name)))
    }
  }))
)
