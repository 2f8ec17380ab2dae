import { JSONSchema, Predicate, type Schema } from "effect"

/** What every compatible server understands. Other rules hold too: the Effect schema checks them when it decodes. */
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

/** Under these stand names of our own, not words of JSON Schema. */
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

/** The JSON schema by which a model is asked for an answer. */
export const answerSchema = <A, I>(schema: Schema.Schema<A, I>): object => Object(simplified(JSONSchema.make(schema)))
