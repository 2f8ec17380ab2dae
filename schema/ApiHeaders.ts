import { Either, ParseResult, Schema } from "effect"
import { TextUpTo } from "./Fields.ts"

const Headers = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))

/** Headers that frame the message or manage the connection: the HTTP client sets them itself. */
const managed = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

export const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

const problemOf = (name: string, value: string) => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return `contains "${name}", which is not a valid header name`
  if (managed.has(name.toLowerCase())) return `must not set ${name}`
  return isHeaderValue(value) ? undefined : `has a value for ${name} with characters that are not allowed in a header`
}

const check = (text: string) =>
  Either.match(Schema.decodeEither(Headers)(text), {
    onLeft: () => "must be a JSON object whose values are strings",
    onRight: (headers) => Object.entries(headers).flatMap(([name, value]) => problemOf(name, value) ?? [])[0]
  })

/** A JSON object of header names and values, as text. */
export const ApiHeaders = TextUpTo(20_000).pipe(
  Schema.filter((text, _, ast) => {
    const problem = check(text)
    return problem === undefined ? undefined : new ParseResult.Type(ast, text, problem)
  })
)

/** Parses a text that ApiHeaders has accepted. */
export const parseApiHeaders = Schema.decodeSync(Headers)
