import { HttpApi, HttpApiMiddleware, HttpApiSchema, OpenApi } from "@effect/platform"
import { Array as Arr, SchemaAST as AST, Context, Option } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { IgnoresIdempotencyKey } from "../../schema/Conventions.ts"
import { fieldsOf } from "./Fields.ts"

export interface PathParameter {
  readonly name: string
  readonly ast: AST.AST
  /** The brand of an id, such as ActionID; none for a word such as a language. */
  readonly brand: Option.Option<string>
}

/** An endpoint as tests need it, derived from the API contract. */
export interface Endpoint {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<PathParameter>
  readonly query: Option.Option<AST.AST>
  readonly payload: Option.Option<AST.AST>
  readonly isMultipart: boolean
  /** Names of the policies that guard it; empty when it is public. */
  readonly policies: ReadonlyArray<string>
  /** Whether the credential is a bearer token. */
  readonly takesBearer: boolean
  readonly takesIdempotencyKey: boolean
  /** The schemas of its responses, errors included. */
  readonly answers: ReadonlyArray<AST.AST>
  /** The statuses that the OpenAPI document lists for it. */
  readonly statuses: ReadonlyArray<number>
}

/** The brand of an id, wherever it is wrapped. */
export const brandOf = (ast: AST.AST): Option.Option<string> =>
  AST.getBrandAnnotation(ast).pipe(
    Option.flatMap(Arr.findFirst((brand) => typeof brand === "string")),
    Option.orElse(() => {
      switch (ast._tag) {
        case "Transformation":
          return brandOf(ast.to)
        case "Refinement":
          return brandOf(ast.from)
        case "Union":
          return Arr.findFirst(ast.types, brandOf)
        default:
          return Option.none()
      }
    })
  )

export const spec = OpenApi.fromApi(CaseworkApi)

export interface Operation {
  readonly id: string
  readonly path: string
  readonly method: string
  readonly spec: OpenApi.OpenAPISpecOperation
}

export const operations: ReadonlyArray<Operation> = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ id: operation.operationId, path, method, spec: operation }))
)

/** A schema of the OpenAPI document, with references resolved. */
export const resolved = (schema: unknown): Readonly<Record<string, unknown>> => {
  const found = fieldsOf(schema)
  const { $ref } = found
  if (typeof $ref !== "string") return found
  const schemas: Readonly<Record<string, unknown>> = spec.components.schemas
  return resolved(schemas[$ref.replace("#/components/schemas/", "")])
}

const statusesOf = (id: string) =>
  Object.keys(operations.find((operation) => operation.id === id)?.spec.responses ?? {}).map(Number)

const parametersOf = (path: Option.Option<{ readonly ast: AST.AST }>): ReadonlyArray<PathParameter> =>
  Option.match(path, {
    onNone: () => [],
    onSome: ({ ast }) =>
      AST.getPropertySignatures(AST.isTransformation(ast) ? ast.from : ast).map(({ name, type }) => ({
        name: String(name),
        ast: type,
        brand: brandOf(type)
      }))
  })

const readEndpoints = () => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(CaseworkApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, errors, group, middleware, successes }) => {
      const id = group.topLevel ? endpoint.name : `${group.identifier}.${endpoint.name}`
      const payload = Option.map(endpoint.payloadSchema, ({ ast }) => ast)
      const guards = [...middleware].filter(HttpApiMiddleware.isSecurity)
      const takesBearer = guards.some((guard) => "bearer" in guard.security)
      found.push({
        id,
        method: endpoint.method,
        path: endpoint.path,
        parameters: parametersOf(endpoint.pathSchema),
        query: Option.map(endpoint.urlParamsSchema, ({ ast }) => ast),
        payload,
        isMultipart: Option.exists(
          payload,
          (ast) => HttpApiSchema.getMultipart(ast) !== undefined || HttpApiSchema.getMultipartStream(ast) !== undefined
        ),
        policies: guards.map((guard) => guard.key.replace(/^.*\//, "")),
        takesBearer,
        takesIdempotencyKey:
          takesBearer && endpoint.method === "POST" && !Context.get(endpoint.annotations, IgnoresIdempotencyKey),
        answers: [...successes.values(), ...errors.values()].flatMap(({ ast }) => Option.toArray(ast)),
        statuses: statusesOf(id)
      })
    }
  })
  return found
}

export const endpoints: ReadonlyArray<Endpoint> = readEndpoints()

/** The path with its parameters filled in, as in a URL. */
export const fillPath = (endpoint: Endpoint, values: Readonly<Record<string, string | number>>) =>
  endpoint.parameters.reduce(
    (path, { name }) => path.replace(new RegExp(`:${name}\\b`), String(values[name])),
    endpoint.path
  )
