import { Schema } from "effect"

/** The international form: + and 7 to 15 digits. */
export const PhoneNumber = Schema.String.pipe(
  Schema.pattern(/^\+[0-9]{7,15}$/, { message: () => "must be + and 7 to 15 digits" }),
  Schema.annotations({ arbitrary: () => (fc) => fc.stringMatching(/^\+[0-9]{7,15}$/) })
)
