import { ParseResult, Schema } from "effect"

const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" })

/** A well-formed tag can still name an unregistered language. */
const isKnown = (tag: string) => names.of(new Intl.Locale(tag).language) !== undefined

/** The tag in its canonical spelling ("DE-at" is "de-AT"); undefined when the text is not a known tag. */
export const canonicalLanguage = (text: string): string | undefined => {
  try {
    const [tag] = Intl.getCanonicalLocales(text)
    return tag !== undefined && isKnown(tag) ? tag : undefined
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
        ? ParseResult.fail(
            new ParseResult.Type(ast, text, "must be the BCP 47 tag of a known language, such as en or de-AT")
          )
        : ParseResult.succeed(tag)
    },
    encode: (tag) => ParseResult.succeed(tag)
  }
).annotations({ jsonSchema: { type: "string", maxLength: 100, examples: ["en"] }, examples: ["en"] })
