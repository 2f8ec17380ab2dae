import { canonicalLanguage } from "../../schema/LanguageTag.ts"

export interface SignatureTexts {
  readonly emailSignatureHTML: string | null
  readonly emailSignatureText: string | null
}

/** de-CH-1996, de-CH, de: from the language itself to its base language. */
const widening = (language: string): ReadonlyArray<string> => {
  const subtags = language.split("-")
  return subtags.map((_, index) => subtags.slice(0, subtags.length - index).join("-"))
}

/** The signature to use: the one for the language, else for its base language, else the representative's own. */
export const chooseSignature = (
  language: string | null,
  signatures: ReadonlyArray<SignatureTexts & { readonly lang: string }>,
  own: SignatureTexts
): SignatureTexts => {
  const wanted = canonicalLanguage(language ?? "")
  for (const candidate of wanted === undefined ? [] : widening(wanted)) {
    const found = signatures.find(({ lang }) => lang.toLowerCase() === candidate.toLowerCase())
    if (found !== undefined) return found
  }
  return own
}
