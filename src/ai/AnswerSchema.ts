import { JSONSchema, Predicate, type Schema } from "effect"

/**
 * Keywords that every compatible server understands. The Effect schema checks all other constraints when it decodes.
 */
const understood = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "anyOf",
  "description",
  "$ref",
  "$defs"
])

/** The keys under these are our own names, not JSON Schema keywords. */
const named = new Set(["properties", "$defs"])

const simplified = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(simplified)
  if (!Predicate.isReadonlyRecord(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word]) => understood.has(word))
      .map(([word, value]) => [
        word,
        named.has(word) && Predicate.isReadonlyRecord(value)
          ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, simplified(inner)]))
          : simplified(value)
      ])
  )
}

/** The JSON schema that the model's answer must follow. */
export const answerSchema = <A, I>(schema: Schema.Schema<A, I>): object => Object(simplified(JSONSchema.make(schema)))
