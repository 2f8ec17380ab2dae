import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { chooseSignature } from "../../src/representatives/SignatureFallback.ts"

const texts = (text: string) => ({ emailSignatureHTML: `<p>${text}</p>`, emailSignatureText: text })
const own = texts("own")
const signatures = ["de", "de-AT", "en", "zh-Hant"].map((lang) => ({ lang, ...texts(lang) }))
const chosen = (language: string | null) => chooseSignature(language, signatures, own).emailSignatureText

describe("The signature to send with", () => {
  it("is the language's, else its base language's, else the representative's own", () => {
    expect(chosen("de-AT")).toBe("de-AT")
    expect(chosen("DE-at")).toBe("de-AT")
    expect(chosen("de-CH")).toBe("de")
    expect(chosen("de")).toBe("de")
    expect(chosen("zh-Hant-TW")).toBe("zh-Hant")
    expect(chosen("zh")).toBe("own")
    expect(chosen("fr")).toBe("own")
    expect(chosen(null)).toBe("own")
    expect(chosen("not a language")).toBe("own")
  })

  it("is never that of another language", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string(), (language) => {
        const text = chosen(language)
        expect(text).toEqual(expect.any(String))
        expect(text === "own" || language.toLowerCase().startsWith(String(text).toLowerCase())).toBe(true)
      })
    )
  })
})
