import { Arbitrary, type SchemaAST as AST, Either, FastCheck as fc, Option, Predicate, Schema } from "effect"
import type { Endpoint } from "../support/Endpoints.ts"

const nasty = fc.constantFrom<unknown>(
  null,
  true,
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udc00y",
  "👩‍👩‍👧‍👦",
  "ﷺ\u202e\ufeff",
  "x".repeat(100_000),
  "'; drop table action; --",
  "{{TopicList}}",
  "__proto__",
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  [[]],
  {},
  { constructor: { prototype: {} } },
  Array.from({ length: 1000 }, () => 1)
)

/** Texts that no JSON.stringify would write. */
const rawTexts = [
  "",
  "nul",
  "{",
  '{"a":1,}',
  "NaN",
  "[1e999]",
  '{"name":1e999,"priority":-1e999,"pageNumber":1e999}',
  '{"__proto__":{"isActive":true},"name":"x","priority":1}',
  '{"constructor":{"prototype":{"name":"x"}}}',
  '{"name":"a","NAME":"b","Name":3,"name":null}',
  '"\\ud800"',
  '"\\u0000"',
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  `{"name":"${"x".repeat(900_000)}"}`,
  '\ufeff{"name":"x"}',
  "\u0000",
  '{"name":"\u0001"}'
]

type Mutation = { readonly pick: number; readonly kind: number; readonly value: unknown }

const mutation = fc.record({ pick: fc.nat(), kind: fc.nat({ max: 4 }), value: fc.oneof(nasty, fc.jsonValue()) })

/** Changes one place in a value: gives it another value, drops it, adds to it, doubles its name, or goes deeper. */
const mutate = (value: unknown, { kind, pick, value: other }: Mutation): unknown => {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item: unknown, index) =>
      index === pick % value.length ? mutate(item, { kind, pick, value: other }) : item
    )
  }
  if (!Predicate.isReadonlyRecord(value)) return other
  const keys = Object.keys(value)
  const key = keys[pick % Math.max(1, keys.length)]
  if (key === undefined || kind === 0) return { ...value, extra: other, ["__proto__"]: other }
  if (kind === 1) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  if (kind === 2) return { ...value, [key.toUpperCase()]: other }
  return { ...value, [key]: kind === 3 ? mutate(value[key], { kind, pick: pick >> 2, value: other }) : other }
}

const safely = (value: unknown) => JSON.stringify(value) ?? "null"

/** Bodies as text: good ones, ones of the right shape only, ones broken in one to three places, and ones that are no JSON. */
const bodies = (ast: AST.AST) => {
  const schema = Schema.make<unknown, unknown, never>(ast)
  const encode = Schema.encodeEither(schema)
  // A value that the schema cannot encode is sent as it is: a caller could send it, too.
  const good = Arbitrary.make(schema).map((value) => Either.getOrElse(encode(value), () => value))
  const shaped = Arbitrary.make(Schema.encodedSchema(schema))
  const broken = fc
    .tuple(fc.oneof(good, shaped), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([value, mutations]) => mutations.reduce(mutate, value))
  return fc.oneof(
    { weight: 3, arbitrary: good.map(safely) },
    { weight: 2, arbitrary: shaped.map(safely) },
    { weight: 6, arbitrary: broken.map(safely) },
    { weight: 1, arbitrary: fc.oneof(nasty, fc.jsonValue()).map(safely) },
    { weight: 1, arbitrary: fc.constantFrom(...rawTexts) }
  )
}

const segments = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 30 }).map(String) },
  { weight: 2, arbitrary: fc.integer().map(String) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ..."0 -1 1.5 1e3 01 +1 %201 2147483647 2147483648 99999999999999999999 NaN null undefined".split(" "),
      ..."%00 %ff %zz %2e%2e %2f ..%2f.. %D9%A1 %F0%9F%98%80 __proto__ %25 ; me '".split(" "),
      "00000000-0000-4000-8000-000000000000",
      "a".repeat(300),
      "9".repeat(1000)
    )
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 20 }).map((text) => encodeURIComponent(text) || "x") }
)

const queryValue = fc.oneof(
  segments,
  fc.constantFrom("", "true", "FALSE", "asc", "DESC", "name", "1,2,3", "%00", "%ED%A0%80", "1&1", "x".repeat(3000))
)

const queryNames = (query: Option.Option<AST.AST>): ReadonlyArray<string> => {
  const names = (ast: AST.AST): ReadonlyArray<string> => {
    switch (ast._tag) {
      case "TypeLiteral":
        return ast.propertySignatures.map(({ name }) => String(name))
      case "Refinement":
      case "Transformation":
        return names(ast.from)
      default:
        return []
    }
  }
  return Option.match(query, { onNone: () => [], onSome: names })
}

const queries = (endpoint: Endpoint) =>
  fc
    .array(
      fc.tuple(fc.constantFrom("pageSize", "__proto__", "a[b]", "%00", ...queryNames(endpoint.query)), queryValue),
      { maxLength: 4 }
    )
    .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`))

const headers = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Readonly<Record<string, string>>>({}) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Readonly<Record<string, string>>>(
      { "idempotency-key": "fuzz" },
      { "idempotency-key": "é" },
      { "if-match": "*" },
      { "if-match": '"x", W/"y", "' },
      { "if-none-match": ",,*" },
      { "content-type": "text/plain" },
      { "content-type": "application/json; charset=utf-16" },
      { "content-type": "multipart/form-data" },
      { "content-type": "multipart/form-data; boundary=x" },
      { "x-request-id": "a b" },
      { accept: "text/html" },
      { origin: "null" }
    )
  }
)

export interface FuzzRequest {
  readonly path: string
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Random requests for one endpoint. */
export const fuzzRequests = (endpoint: Endpoint): fc.Arbitrary<FuzzRequest> =>
  fc
    .record({
      values: fc.array(segments, { minLength: endpoint.parameters.length, maxLength: endpoint.parameters.length }),
      query: queries(endpoint),
      headers,
      body:
        Option.isNone(endpoint.payload) || endpoint.isMultipart
          ? fc.constantFrom(undefined, ...rawTexts.slice(0, 3))
          : bodies(endpoint.payload.value)
    })
    .map(({ body, headers, query, values }) => ({
      path:
        endpoint.parameters.reduce(
          (path, { name }, index) => path.replace(`:${name}`, values[index] ?? "1"),
          endpoint.path
        ) + query,
      body: endpoint.method === "GET" ? undefined : body,
      headers
    }))
