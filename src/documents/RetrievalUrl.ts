import { Effect } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { fillUrl, type Values } from "./Placeholders.ts"

const isAbsolute = (endpoint: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint)

/** Joins base and endpoint with exactly one slash; an absolute endpoint is used on its own. */
export const joinUrl = (base: string, endpoint: string) =>
  isAbsolute(endpoint) ? endpoint : `${base.replace(/\/+$/, "")}/${endpoint.replace(/^\/+/, "")}`

const dotSegment = /[/\\](?:\.|%2e){1,2}(?=[/\\?#]|$)/i

const isHttp = (url: string) =>
  URL.canParse(url) && /^https?:\/\//i.test(url) && new URL(url).username === "" && new URL(url).password === ""

/** The URL to call: a filled-in value stays one segment or parameter, and cannot lead elsewhere. */
export const retrievalUrl = (
  base: string | null,
  endpointTemplate: string,
  values: Values
): Effect.Effect<string, BadRequest> => {
  const endpoint = endpointTemplate.trim()
  if (!isAbsolute(endpoint)) {
    if (base === null) {
      return BadRequest.of(
        "The endpoint is relative, but there is no base URL: set overrideApiBaseUrl or the customer's apiBaseUrl."
      )
    }
    if (!isHttp(base) || /[?#]/.test(base)) {
      return BadRequest.of("The base URL must be an http or https URL without a query.")
    }
  }
  const template = joinUrl(base ?? "", endpoint)
  return Effect.flatMap(fillUrl(template, values), (url) => {
    if (dotSegment.test(url) && !dotSegment.test(template)) {
      return BadRequest.of('A value in the path of the endpoint must not be "." or "..".')
    }
    return isHttp(url)
      ? Effect.succeed(url)
      : BadRequest.of("The endpoint does not result in a valid http or https URL.")
  })
}
