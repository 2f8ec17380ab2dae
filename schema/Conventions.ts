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

/** Families listed in the interface without /api; each path of theirs also answers with /api in front. */
export const aliasedFamilies = ["tickets", "ticketMessages", "customerReps"] as const

const aliased = new RegExp(`^/(?:${aliasedFamilies.join("|")})(?:/|$)`, "i")

/** A GET of one resource: it carries an ETag. */
export const isSingleResource = (method: string, path: string) =>
  method.toUpperCase() === "GET" && /(?:\/me|\/:\w+|\/\{\w+\})$/.test(path)

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

/** Says in one operation what the conventions add to every operation of its kind. */
const describeOperation = (path: string, method: string, operation: OpenApi.OpenAPISpecOperation) => {
  const needsToken = operation.security.length > 0
  const parameters = [...operation.parameters]
  const responses: OpenApi.OpenAPISpecResponses = {
    ...(operation.requestBody !== undefined && {
      413: answer("The request body is larger than this route takes", "PayloadTooLarge"),
      415: answer("The request body has a type that this route does not take", "UnsupportedMediaType")
    }),
    ...(needsToken &&
      method === "post" && {
        409: answer("A request with the same Idempotency-Key is still running", "Conflict"),
        422: answer("The Idempotency-Key was used before with another body", "UnprocessableEntity")
      }),
    ...(needsToken &&
      (method === "put" || method === "delete") && {
        412: answer("The resource changed since the ETag in If-Match was read", "PreconditionFailed")
      }),
    ...(needsToken && isSingleResource(method, path) && { 304: { description: "Not changed since the given ETag" } }),
    ...operation.responses,
    // The decoder's own error never leaves the service: it is answered as BadRequest.
    400: answer("The request is not valid", "BadRequest")
  }
  if (409 in responses) parameters.push(header("Idempotency-Key", "1 to 255 characters; the answer is kept 24 hours"))
  if (412 in responses) parameters.push(header("If-Match", "An ETag; 412 when the resource changed since"))
  if (304 in responses) parameters.push(header("If-None-Match", "An ETag; 304 when the resource is still the same"))
  const alias = aliased.test(path) ? `\n\nAlso answers at \`/api${path}\`.` : ""
  return { ...operation, description: `${operation.description ?? ""}${alias}`, parameters, responses }
}

const describePaths = (paths: OpenApi.OpenAPISpecPaths) =>
  Record.map(paths, (item, path) =>
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, describeOperation(path, method, operation)])
    )
  )

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
    paths: describePaths(spec["paths"]),
    components: {
      ...spec["components"],
      schemas: Record.filter(spec["components"].schemas, (_, name) => !decoderSchemas.has(name))
    }
  }))
)
