import { ParseResult, Schema } from "effect"

/** The tag in its canonical spelling ("DE-at" is "de-AT"); undefined when it is none. */
export const canonicalLanguage = (text: string): string | undefined => {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}

const isCanonical = (text: string) => text.length <= 100 && canonicalLanguage(text) === text

/** A BCP 47 tag, read in any case. */
export const LanguageTag = Schema.transformOrFail(
  Schema.String,
  Schema.String.pipe(
    Schema.filter(isCanonical, { arbitrary: () => (fc) => fc.constantFrom("en", "de", "fr-CH", "zh-Hant-TW") })
  ),
  {
    strict: true,
    decode: (text, _, ast) => {
      const tag = text.length > 100 ? undefined : canonicalLanguage(text)
      return tag === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, text, "must be a BCP 47 language tag such as en or de-AT"))
        : ParseResult.succeed(tag)
    },
    encode: (tag) => ParseResult.succeed(tag)
  }
).annotations({ jsonSchema: { type: "string", maxLength: 100, examples: ["en"] }, examples: ["en"] })
