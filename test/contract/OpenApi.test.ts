import type { OpenApi } from "@effect/platform"
import { describe, expect, it, layer } from "@effect/vitest"
import { SchemaAST as AST, Effect, JSONSchema, Option, Predicate } from "effect"
import { endpoints, operations, spec } from "../support/Endpoints.ts"
import { send, testApp } from "../support/TestApp.ts"

/** Every object inside a JSON value, the value itself included. */
const objectsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value)
    ? value.flatMap(objectsIn)
    : Predicate.isReadonlyRecord(value)
      ? [value, ...Object.values(value).flatMap(objectsIn)]
      : []

const referencesIn = (value: unknown) =>
  objectsIn(value).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []))

const prefix = "#/components/schemas/"

const schemas: Readonly<Record<string, unknown>> = spec.components.schemas

/** A schema and all that it refers to. */
const reachableFrom = (value: unknown, seen = new Set<string>()): ReadonlyArray<unknown> => [
  value,
  ...referencesIn(value).flatMap((reference) => {
    if (seen.has(reference)) return []
    seen.add(reference)
    return reachableFrom(schemas[reference.slice(prefix.length)], seen)
  })
]

const withoutWords = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutWords)
  if (!Predicate.isReadonlyRecord(schema)) return schema
  const kept = Object.entries(schema).filter(([key]) => !["description", "examples", "title", "default"].includes(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutWords(value)]))
}

const partsOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "TypeLiteral":
      return [...ast.propertySignatures, ...ast.indexSignatures].map(({ type }) => type)
    case "TupleType":
      return [...ast.elements, ...ast.rest].map(({ type }) => type)
    case "Union":
      return ast.types
    case "Refinement":
    case "Transformation":
      return [ast.from]
    case "Suspend":
      return [ast.f()]
    default:
      return []
  }
}

/** Collects every nested schema that has an identifier, as JSON Schema without its texts. */
const collectIdentified = (ast: AST.AST, seen: Set<AST.AST>, found: Map<string, Set<string>>) => {
  if (seen.has(ast)) return
  seen.add(ast)
  const identifier = AST.getIdentifierAnnotation(ast)
  if (Option.isSome(identifier) && !AST.isSuspend(ast)) {
    const shape = JSONSchema.fromAST(ast, { definitions: {}, topLevelReferenceStrategy: "skip" })
    const shapes = found.get(identifier.value) ?? new Set()
    found.set(identifier.value, shapes.add(JSON.stringify(withoutWords(shape))))
  }
  for (const part of partsOf(ast)) collectIdentified(part, seen, found)
}

/** Whether a schema reports every problem, also through its own filters. */
const reportsAll = (ast: AST.AST): boolean =>
  Option.exists(AST.getParseOptionsAnnotation(ast), ({ errors }) => errors === "all") ||
  (AST.isRefinement(ast) && reportsAll(ast.from)) ||
  (AST.isUnion(ast) && ast.types.every(reportsAll)) ||
  AST.isVoidKeyword(ast)

/** Whether a text is at least two words, not a name. */
const inWords = (text: string | undefined) => text !== undefined && /^\S+ \S+/.test(text)

const withoutBody = ["204", "304"]

describe("The OpenAPI document", () => {
  it("is OpenAPI 3.1 and has an operation for every endpoint", () => {
    expect(spec.openapi).toBe("3.1.0")
    expect(operations.map(({ id }) => id).sort()).toEqual(endpoints.map(({ id }) => id).sort())
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  })

  it("contains exactly the schemas that it refers to", () => {
    const known = Object.keys(schemas).map((name) => prefix + name)
    const used = new Set(reachableFrom(spec.paths).flatMap(referencesIn))
    expect([...used].filter((reference) => !known.includes(reference))).toEqual([])
    // The error that every path can return belongs to no operation.
    expect(known.filter((name) => !used.has(name))).toEqual([`${prefix}MethodNotAllowed`])
  })

  it("never gives two schemas the same identifier", () => {
    const found = new Map<string, Set<string>>()
    const seen = new Set<AST.AST>()
    for (const { answers, payload, query } of endpoints) {
      for (const ast of [...answers, ...Option.toArray(payload), ...Option.toArray(query)]) {
        collectIdentified(ast, seen, found)
      }
    }
    expect([...found].filter(([, shapes]) => shapes.size > 1)).toEqual([])
  })

  it("does not mention the decoder's own error", () => {
    expect(JSON.stringify(spec)).not.toMatch(/HttpApiDecodeError|"Issue"/)
  })

  it("ignores unknown properties, as the service does", () => {
    expect(objectsIn(spec).filter((schema) => schema["additionalProperties"] === false)).toEqual([])
  })

  for (const { id, path, spec: operation } of operations) {
    it(`documents ${id}`, () => {
      const endpoint = endpoints.find((candidate) => candidate.id === id)
      expect(operation.summary, "summary").toSatisfy(inWords)
      expect(operation.description, "description").toSatisfy(inWords)
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description, `${status} has a description`).toMatch(/\w/)
        if (withoutBody.includes(status)) expect(response.content, `${status} has no body`).toBeUndefined()
        else
          expect(
            Object.values(response.content ?? {}).map(({ schema }) => schema),
            `${status}`
          ).not.toEqual([])
      }
      expect(
        operation.security.some((guard) => "bearer" in guard),
        "bearer"
      ).toBe(endpoint?.takesBearer)
      expect(operation.responses[401] !== undefined || !endpoint?.takesBearer, "401").toBe(true)
      const headers = operation.parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name)
      expect(headers.includes("Idempotency-Key")).toBe(endpoint?.takesIdempotencyKey)
      expect(operation.responses[404] !== undefined || !path.includes("{"), "404 for an id").toBe(true)
      for (const body of Object.values(operation.requestBody?.content ?? {})) {
        const examples = reachableFrom(body.schema)
          .flatMap(objectsIn)
          .filter((schema) => "examples" in schema)
        expect(examples.length > 0 || endpoint?.isMultipart, "an example in the body").toBe(true)
      }
    })
  }

  it("mentions If-Match exactly where the resource has an ETag", () => {
    const takes = (operation: OpenApi.OpenAPISpecOperation | undefined, name: string) =>
      operation?.parameters.some((parameter) => parameter.name === name) === true
    for (const [path, item] of Object.entries(spec.paths)) {
      const hasETag = takes(item.get, "If-None-Match")
      for (const method of ["put", "delete"] as const) {
        const operation = item[method]
        if (operation === undefined) continue
        expect([path, method, takes(operation, "If-Match")]).toEqual([path, method, hasETag])
        expect([path, method, "412" in operation.responses]).toEqual([path, method, hasETag])
      }
    }
  })

  it("shows a list as the example of every body that is a list", () => {
    const lists = operations
      .flatMap(({ spec: operation }) => Object.values(operation.requestBody?.content ?? {}))
      .flatMap(({ schema }) => referencesIn(schema).map((reference) => schemas[reference.slice(prefix.length)]))
      .filter(Predicate.isReadonlyRecord)
      .filter(({ type }) => type === "array")
    expect(lists.length).toBeGreaterThan(0)
    for (const list of lists) expect(list["examples"]).toEqual([[expect.any(Object), expect.any(Object)]])
  })

  it("is made of bodies and queries that report every problem", () => {
    const silent = endpoints.flatMap(({ id, isMultipart, payload, query }) =>
      [...(isMultipart ? [] : Option.toArray(payload)), ...Option.toArray(query)].flatMap((ast) =>
        reportsAll(ast) ? [] : [id]
      )
    )
    expect(silent).toEqual([])
  })
})

layer(testApp(), { excludeTestServices: true })("The docs", (it) => {
  it.effect("serve the OpenAPI document of the contract", () =>
    Effect.gen(function* () {
      const { headers, json, status } = yield* send("GET", "/openapi.json")
      expect(status).toBe(200)
      expect(headers.get("content-type")).toContain("application/json")
      expect(json).toEqual(JSON.parse(JSON.stringify(spec)))
    })
  )

  it.effect("are a page that needs no other host", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send("GET", "/docs")
      expect(status).toBe(200)
      expect(headers.get("content-type")).toContain("text/html")
      expect(text).toContain("Casework")
      expect(
        text.match(/<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?\/\/[^>]*>/gi)
      ).toBeNull()
      // Whatever the script would try, the browser may talk to this host only.
      expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*connect-src 'self'/)
      expect(headers.get("content-security-policy")).not.toMatch(/https?:/)
    })
  )
})
