import { ParseResult, Schema } from "effect"
import { canonicalLanguage } from "./LanguageTag.ts"

/** Codes that stand for no particular language. */
const noLanguage = new Set(["und", "mul", "mis", "zxx", "art"])

/** The lower-case code of a known language, with two letters if it has such a code ("DEU" is "de"); else undefined. */
const languageCode = (text: string): string | undefined => {
  const code = text.trim().toLowerCase()
  if (!/^[a-z]{2,3}$/.test(code) || noLanguage.has(code)) return undefined
  const known = canonicalLanguage(code)
  // A code whose canonical form is longer, such as another language with a script, is not a plain code.
  return known !== undefined && /^[a-z]{2,3}$/.test(known) ? known : undefined
}

/** An ISO 639-1 or 639-3 code, read in any case. */
export const LanguageCode = Schema.transformOrFail(
  Schema.String,
  Schema.String.pipe(
    Schema.filter((text) => languageCode(text) === text, {
      arbitrary: () => (fc) => fc.constantFrom("en", "de", "fr", "nds", "haw")
    })
  ),
  {
    strict: true,
    decode: (text, _, ast) => {
      const code = languageCode(text)
      return code === undefined
        ? ParseResult.fail(
            new ParseResult.Type(ast, text, "must be a known ISO 639-1 or 639-3 language code, such as de or nds")
          )
        : ParseResult.succeed(code)
    },
    encode: (code) => ParseResult.succeed(code)
  }
).annotations({ jsonSchema: { type: "string", minLength: 2, maxLength: 3, examples: ["de"] }, examples: ["de"] })
