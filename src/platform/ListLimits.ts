import { SchemaAST as AST, Option, ParseResult } from "effect"
import { problemsIn } from "./Problems.ts"

/** How much the lists of a body may hold: each knows its own limit, and those below it. */
export interface ListLimits {
  readonly limits: ReadonlyArray<Limit>
  readonly below: ReadonlyMap<string, ListLimits>
  readonly items: ListLimits | undefined
}

interface Limit {
  readonly most: number
  readonly ast: AST.Refinement
}

export const noLimits: ListLimits = { limits: [], below: new Map(), items: undefined }

const merge = (left: ListLimits, right: ListLimits): ListLimits => ({
  limits: [...left.limits, ...right.limits],
  below: new Map([...left.below, ...right.below]),
  items: left.items ?? right.items
})

const limitOf = (ast: AST.Refinement): ReadonlyArray<Limit> => {
  const described = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({}))
  const [, most] = Object.entries(described).find(([name]) => name === "maxItems" || name === "maxProperties") ?? []
  return typeof most === "number" ? [{ most, ast }] : []
}

const isEmpty = ({ below, items, limits }: ListLimits) => limits.length === 0 && below.size === 0 && items === undefined

/** Reads the limits from the encoded side of a schema. */
export const listLimits = (ast: AST.AST): ListLimits => {
  switch (ast._tag) {
    case "TypeLiteral": {
      const properties = ast.propertySignatures.map(({ name, type }) => [String(name), listLimits(type)] as const)
      return { ...noLimits, below: new Map(properties.filter(([, limits]) => !isEmpty(limits))) }
    }
    case "TupleType": {
      const items = ast.rest.map(({ type }) => listLimits(type)).reduce(merge, noLimits)
      return { ...noLimits, items: isEmpty(items) ? undefined : items }
    }
    case "Union":
      return ast.types.map(listLimits).reduce(merge, noLimits)
    case "Refinement": {
      const from = listLimits(ast.from)
      return { ...from, limits: [...limitOf(ast), ...from.limits] }
    }
    case "Transformation":
      return listLimits(ast.from)
    default:
      return noLimits
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const sizeOf = (value: object) => (Array.isArray(value) ? value.length : Object.keys(value).length)

/** What the schema itself says about a value that is over its limit. */
const messagesOf = ({ ast }: Limit, value: object) =>
  ParseResult.ArrayFormatter.formatIssueSync(
    new ParseResult.Refinement(ast, value, "Predicate", new ParseResult.Type(ast, value))
  )

interface Problem {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

const excesses = (
  value: unknown,
  { below, items, limits }: ListLimits,
  path: ReadonlyArray<string | number>
): ReadonlyArray<Problem> => {
  if (!isObject(value)) return []
  const size = sizeOf(value)
  const exceeded = limits.find(({ most }) => size > most)
  if (exceeded !== undefined) return messagesOf(exceeded, value).map(({ message }) => ({ path, message }))
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((item, index) => excesses(item, items, [...path, index]))
  }
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = below.get(name)
    return known === undefined ? [] : excesses(inner, known, [...path, name])
  })
}

/**
 * Returns the refusal of a body that has a list over its limit. A schema looks at the items first and describes what is
 * wrong with each, which takes seconds and gigabytes for the half a million that fit into a body.
 */
export const refusalOfLists = (body: unknown, limits: ListLimits) => {
  const found = excesses(body, limits, [])
  return found.length === 0 ? undefined : problemsIn(found)
}
