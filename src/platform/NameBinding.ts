import type { SchemaAST as AST } from "effect"

/** The property names of a schema by their lower-case form, with the names below each. */
export interface NameTree {
  readonly names: ReadonlyMap<string, { readonly name: string; readonly below: NameTree }>
  /** Names below an index signature belong to the caller and stay as they are. */
  readonly open: boolean
}

type Names = Map<string, { name: string; below: NameTree }>

const nothing: NameTree = { names: new Map(), open: true }

const merge = (left: NameTree, right: NameTree): NameTree => {
  const names: Names = new Map(left.names)
  for (const [key, { below, name }] of right.names) {
    const existing = names.get(key)
    names.set(key, { name, below: existing === undefined ? below : merge(existing.below, below) })
  }
  return { names, open: left.open && right.open }
}

/** Collects the names from the encoded side of a schema, which is what a caller writes. */
export const nameTree = (ast: AST.AST): NameTree => {
  switch (ast._tag) {
    case "TypeLiteral": {
      const names: Names = new Map()
      for (const property of ast.propertySignatures) {
        const name = String(property.name)
        names.set(name.toLowerCase(), { name, below: nameTree(property.type) })
      }
      return { names, open: ast.indexSignatures.length > 0 }
    }
    case "TupleType":
      return [...ast.elements, ...ast.rest].map((element) => nameTree(element.type)).reduce(merge, nothing)
    case "Union":
      return ast.types.map(nameTree).reduce(merge, nothing)
    case "Refinement":
    case "Transformation":
      return nameTree(ast.from)
    default:
      return nothing
  }
}

/** Gives every property of a decoded JSON value the spelling that the schema uses. */
export const bindNames = (value: unknown, tree: NameTree): unknown => {
  if (tree.names.size === 0 || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => bindNames(item, tree))
  const bound: Array<[string, unknown]> = []
  for (const [key, below] of Object.entries(value)) {
    const known = tree.names.get(key.toLowerCase())
    if (known !== undefined) bound.push([known.name, bindNames(below, known.below)])
    else if (tree.open) bound.push([key, below])
  }
  return Object.fromEntries(bound)
}

/** Gives every query parameter of a URL the spelling that the schema uses. */
export const bindQuery = (url: string, names: ReadonlyMap<string, { readonly name: string }>) => {
  const start = url.indexOf("?")
  if (start === -1) return url
  const bound = new URLSearchParams()
  for (const [key, value] of new URLSearchParams(url.slice(start))) {
    bound.append(names.get(key.toLowerCase())?.name ?? key, value)
  }
  return `${url.slice(0, start)}?${bound}`
}
