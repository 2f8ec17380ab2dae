import { HttpClientRequest } from "@effect/platform"
import { Effect, Option, Redacted } from "effect"
import { isHeaderValue, parseApiHeaders } from "../../schema/ApiHeaders.ts"
import { BadRequest } from "../../schema/Errors.ts"
import { understoodEncodings } from "../platform/outbound/BoundedCall.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type ApiAccess, authorization } from "./ApiCredentials.ts"
import { fillJson, fillUrl, fillWhole, fillXml, type Values } from "./Placeholders.ts"
import { retrievalUrl } from "./RetrievalUrl.ts"

/** An API call whose placeholders are not filled yet. */
interface ApiCall {
  readonly endpoint: string
  readonly method: string | null
  readonly headers: string | null
  readonly bodyTemplate: string | null
}

/** Every text of a call that may have placeholders. */
export const templatesOf = ({ bodyTemplate, endpoint, headers }: ApiCall) => [endpoint, headers, bodyTemplate]

const fillHeaders = (headers: string | null, values: Values) =>
  Effect.forEach(Object.entries(headers === null ? {} : parseApiHeaders(headers)), ([name, template]) =>
    Effect.flatMap(fillWhole(template, values), (filled) => {
      const value = filled.trim()
      return isHeaderValue(value)
        ? Effect.succeed([name.toLowerCase(), value] as const)
        : BadRequest.of(`The value of the header ${name} contains characters that are not allowed in a header.`)
    })
  )

/** Each value is escaped for the kind of text that it is put into. */
const fillBody = (template: string, contentType: string, values: Values) => {
  // Every JSON content type has "json" in its name, such as application/x-ndjson.
  if (/json/i.test(contentType)) return fillJson(template, values)
  if (/form-urlencoded/i.test(contentType)) return fillUrl(template, values)
  return /[/+](?:x|ht)ml\b/i.test(contentType) ? fillXml(template, values) : fillWhole(template, values)
}

const asMethod = (method: string | null) =>
  method === "POST" || method === "PUT" || method === "PATCH" || method === "DELETE" ? method : "GET"

/** Whether a call may be repeated without anyone noticing. */
export const isRepeatable = (method: string | null) => asMethod(method) === "GET"

/** The error of a call that is not repeatable, was begun, and whose end was never recorded. */
export const interruptedCall =
  "The call was interrupted, and it is not known whether it succeeded. It is not repeated, as that would not be safe."

/** Builds the request that a data retrieval sends, or says what is missing for it. */
export const retrievalRequest = fn("DataRetrieval.request")(function* (
  call: ApiCall,
  access: ApiAccess,
  values: Values
) {
  const method = asMethod(call.method)
  const url = yield* retrievalUrl(access.baseUrl, call.endpoint, values)
  const own = Object.fromEntries(yield* fillHeaders(call.headers, values))
  const credentials = own["authorization"] === undefined ? yield* authorization(access) : Option.none()
  const contentType = own["content-type"] ?? "application/json"
  const request = HttpClientRequest.make(method)(url).pipe(
    HttpClientRequest.setHeaders({
      accept: "*/*",
      "user-agent": "casework",
      "accept-encoding": understoodEncodings,
      ...own,
      ...(Option.isSome(credentials) && { authorization: Redacted.value(credentials.value) })
    })
  )
  return call.bodyTemplate === null || method === "GET"
    ? request
    : HttpClientRequest.bodyText(request, yield* fillBody(call.bodyTemplate, contentType, values), contentType)
})
