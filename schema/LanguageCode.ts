import { ParseResult, Schema } from "effect"
import { canonicalLanguage } from "./LanguageTag.ts"

/** Codes that stand for no particular language. */
const noLanguage = new Set(["und", "mul", "mis", "zxx", "art"])

/** Known codes that are in neither list: bibliographic and collective ones of ISO 639-2, and withdrawn ones. */
const inNeitherList = new Set(
  "alb arm baq bih bur chi cze dut fre geo ger gre ice mac mao may mol per rum scc scr slo tib wel bh in iw ji jw mo".split(
    " "
  )
)

/** The lower-case code of a known language, with two letters if it has such a code ("DEU" is "de"); else undefined. */
const languageCode = (text: string): string | undefined => {
  const code = text.trim().toLowerCase()
  if (!/^[a-z]{2,3}$/.test(code) || noLanguage.has(code)) return undefined
  const known = canonicalLanguage(code)
  // A code whose canonical form is longer, such as another language with a script, is not a plain code.
  return known !== undefined && /^[a-z]{2,3}$/.test(known) ? known : undefined
}

const explanation = "must be a known ISO 639-1 or 639-3 language code, such as de or nds"

/** The code of a language as a model or a program may write it, in any case. */
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
        ? ParseResult.fail(new ParseResult.Type(ast, text, explanation))
        : ParseResult.succeed(code)
    },
    encode: (code) => ParseResult.succeed(code)
  }
).annotations({ jsonSchema: { type: "string", minLength: 2, maxLength: 3, examples: ["de"] }, examples: ["de"] })

/** An ISO 639-1 or 639-3 code, read in any case. */
export const IsoLanguageCode = Schema.String.pipe(
  Schema.filter((text) => !inNeitherList.has(text.trim().toLowerCase()), { message: () => explanation }),
  Schema.compose(LanguageCode)
).annotations({ jsonSchema: { type: "string", minLength: 2, maxLength: 3, examples: ["de"] }, examples: ["de"] })
