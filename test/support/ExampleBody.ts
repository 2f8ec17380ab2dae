import type { SqlClient, SqlError } from "@effect/sql"
import { Arbitrary, SchemaAST as AST, Effect, Either, FastCheck, Option, Predicate, Schema } from "effect"
import { brandOf, type Endpoint } from "./Endpoints.ts"
import { ownId } from "./KnownIds.ts"

type Find = (brand: string) => Effect.Effect<Option.Option<string | number>, SqlError.SqlError, SqlClient.SqlClient>

/** Whether it contains no ids: the ids in an example belong to no particular customer. */
const isPlain = (value: unknown): boolean =>
  value === null || typeof value !== "object" || (Array.isArray(value) && value.every(isPlain))

const exampleOf = (ast: AST.AST) =>
  AST.getExamplesAnnotation(ast).pipe(
    Option.map(([first]): unknown => first),
    Option.filter(isPlain)
  )

/** The struct behind any refinements and transformations. */
const structOf = (ast: AST.AST): AST.TypeLiteral | undefined => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast
    case "Refinement":
    case "Transformation":
      return structOf(ast.from)
    case "Suspend":
      return structOf(ast.f())
    default:
      return undefined
  }
}

/** The element type of a list, however it is refined. */
const elementOf = (ast: AST.AST): AST.AST | undefined =>
  AST.isRefinement(ast)
    ? elementOf(ast.from)
    : AST.isTupleType(ast)
      ? (ast.elements[0] ?? ast.rest[0])?.type
      : undefined

const sample = (ast: AST.AST): unknown => {
  const schema = Schema.make<unknown, unknown, never>(ast)
  const [value] = FastCheck.sample(Arbitrary.make(schema), { seed: 1, numRuns: 1 })
  return Either.getOrElse(Schema.encodeEither(schema)(value), () => value)
}

const isNothing = (ast: AST.AST) => AST.isUndefinedKeyword(ast) || (AST.isLiteral(ast) && ast.literal === null)

const valueOf = (ast: AST.AST, find: Find): Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const brand = brandOf(ast)
    const known = Option.isSome(brand) ? yield* find(brand.value) : exampleOf(ast)
    if (Option.isSome(known)) return known.value
    const struct = structOf(ast)
    if (struct !== undefined) return yield* fieldsOf(struct, find)
    if (AST.isUnion(ast)) {
      const [first] = ast.types.filter((member) => !isNothing(member))
      return first === undefined ? null : yield* valueOf(first, find)
    }
    const element = elementOf(ast)
    return element === undefined ? sample(ast) : [yield* valueOf(element, find)]
  })

const fieldsOf = (struct: AST.TypeLiteral, find: Find) =>
  Effect.gen(function* () {
    const fields: Record<string, unknown> = {}
    for (const { isOptional, name, type } of struct.propertySignatures) {
      if (!isOptional) fields[String(name)] = yield* valueOf(type, find)
    }
    return fields
  })

/** Fields that an endpoint needs beyond the required ones, which its schema cannot express. */
const extraFields: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "auth.phoneLogin": { accountSid: "ACdemo0000acme" },
  "topicActions.createTopicAction": { hookName: "OnEscalate" },
  "topicActions.createTopicActions": { hookName: "OnEscalate" },
  "topicDocuments.createTopicDocument": { hookName: "OnEscalate" }
}

/**
 * A body that an endpoint accepts: its required fields, from an example where the schema gives one. Ids are the
 * caller's own, except those that must repeat the path.
 */
export const exampleBody = (
  endpoint: Endpoint,
  customerID: number,
  pathIds: Readonly<Record<string, string | number>> = {}
) =>
  Effect.gen(function* () {
    if (Option.isNone(endpoint.payload) || endpoint.isMultipart) return undefined
    const body = yield* valueOf(endpoint.payload.value, (brand) => {
      const repeated = endpoint.parameters.find((parameter) => Option.contains(parameter.brand, brand))
      const id = repeated === undefined ? undefined : pathIds[repeated.name]
      return id === undefined ? ownId(brand, customerID) : Effect.succeedSome(id)
    })
    const complete = (value: unknown) =>
      Predicate.isReadonlyRecord(value) ? { ...value, ...extraFields[endpoint.id] } : value
    return Array.isArray(body) ? body.map(complete) : complete(body)
  })

// The smallest PNG: one transparent pixel.
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64"
)

/** The parts of an upload: a picture in each field. */
export const exampleForm = (endpoint: Endpoint) => {
  const form = new FormData()
  const struct = Option.match(endpoint.payload, { onNone: () => undefined, onSome: structOf })
  for (const { name } of struct?.propertySignatures ?? []) {
    form.append(String(name), new File([pixel], "pixel.png", { type: "image/png" }))
  }
  return form
}
