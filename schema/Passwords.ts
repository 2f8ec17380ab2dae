import { Schema } from "effect"
import { TextUpTo } from "./Fields.ts"

const categories = [/[0-9]/u, /\p{Ll}/u, /\p{Lu}/u, /[^\p{L}\p{N}]/u]

/** At least 8 characters, with at least 3 of: digit, lowercase, uppercase, symbol. */
export const isStrongPassword = (password: string) =>
  [...password].length >= 8 && categories.filter((category) => category.test(password)).length >= 3

export const Password = TextUpTo(1024).pipe(
  Schema.filter(isStrongPassword, {
    message: () =>
      "must be at least 8 characters long and contain at least 3 of these 4: a digit, a lowercase letter, an uppercase letter, a symbol",
    jsonSchema: { minLength: 8, examples: ["Demo-Pass-1"] },
    arbitrary: () => (fc) => fc.string({ minLength: 5, maxLength: 40 }).map((text) => `${text}aB-1`)
  })
)
