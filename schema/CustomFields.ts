import { Schema } from "effect"
import { Text } from "./Fields.ts"

const isText = Schema.is(Text)

const isStorable = (value: unknown): boolean => {
  if (typeof value === "string") return isText(value)
  // One that is too large for JavaScript would come back as null.
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([key, inner]) => isText(key) && isStorable(inner))
}

const examples = [{ orderNumber: "A-1042", priority: 2 }]

/** Key-value pairs as the customer needs them; values are any JSON. */
export const CustomFields = Schema.Record({ key: Schema.String, value: Schema.Unknown })
  .pipe(
    Schema.filter(isStorable, {
      message: () => "must hold text without NUL characters or broken Unicode, and numbers up to 1.8e308",
      jsonSchema: {}
    })
  )
  .annotations({
    description: "Key-value pairs; values are any JSON. A write replaces all of them.",
    jsonSchema: { type: "object", additionalProperties: true, examples },
    arbitrary: () => (fc) => fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(fc.boolean(), fc.integer()))
  })
export type CustomFields = typeof CustomFields.Type
