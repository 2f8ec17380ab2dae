import { Schema } from "effect"
import { Text } from "./Fields.ts"

const isText = Schema.is(Text)

// A number that is too large for JavaScript would be returned as null.
const isStored = (value: number) => Number.isFinite(value)

/** The database writes all digits of a number: a smaller one would be many times as long in a response. */
const smallest = 1e-20

/** A longer whole number has already lost its last digits when it is decoded, without a trace. */
const isExact = (value: number) =>
  isStored(value) && (Number.isInteger(value) ? Number.isSafeInteger(value) : Math.abs(value) >= smallest)

const holdsOnly = (isNumber: (value: number) => boolean) => {
  const holds = (value: unknown): boolean => {
    if (typeof value === "string") return isText(value)
    if (typeof value === "number") return isNumber(value)
    if (typeof value !== "object" || value === null) return true
    return Object.entries(value).every(([key, inner]) => isText(key) && holds(inner))
  }
  return holds
}

const examples = [{ orderNumber: "A-1042", priority: 2 }]

const AnyFields = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const described = {
  description: "Key-value pairs; values are any JSON. A write replaces them all.",
  jsonSchema: { type: "object", additionalProperties: true, examples },
  arbitrary: () => (fc) => fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(fc.boolean(), fc.integer()))
} satisfies Schema.Annotations.Filter<typeof AnyFields.Type>

/** Key-value pairs of the customer's choice; values are any JSON. */
export const CustomFields = AnyFields.pipe(Schema.filter(holdsOnly(isStored), { jsonSchema: {} })).annotations(
  described
)
export type CustomFields = typeof CustomFields.Type

/** How many characters they may have as JSON: a page of tickets has the fields of all its tickets. */
export const longestCustomFields = 128 * 1024

/** Custom fields in a request. */
export const CustomFieldsWrite = AnyFields.pipe(
  Schema.filter((fields) => JSON.stringify(fields).length <= longestCustomFields, {
    message: () => `must have at most ${longestCustomFields} characters of JSON`,
    jsonSchema: {}
  }),
  Schema.filter(holdsOnly(isExact), {
    message: () =>
      "must not contain NUL characters, broken Unicode, the name __proto__, numbers beyond 1.8e308 or nearer to 0 than 1e-20, or whole numbers beyond 9007199254740991: send longer numbers as text",
    jsonSchema: {}
  })
).annotations({
  ...described,
  description: `${described.description} Whole numbers beyond 9007199254740991 and numbers nearer to 0 than ${smallest} are rejected (400): send them as text. At most ${longestCustomFields} characters of JSON.`
})
