import { ParseResult, Schema } from "effect"
import { canonicalLanguage } from "./LanguageTag.ts"

/** Codes that stand for no language in particular. */
const noLanguage = new Set(["und", "mul", "mis", "zxx", "art"])

/** The code of a known language in lower case, in two letters where there are such ("DEU" is "de"); else undefined. */
const languageCode = (text: string): string | undefined => {
  const code = text.trim().toLowerCase()
  if (!/^[a-z]{2,3}$/.test(code) || noLanguage.has(code)) return undefined
  const known = canonicalLanguage(code)
  // What is known under a longer name, such as a script of another language, is no plain code.
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
