import { stopWords } from "./StopWords.ts"
import { wordsOf } from "./Words.ts"

/** Scripts that identify a language, or the most likely one, on their own; the first match decides. */
const scripts: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\u3040-\u30ff]/gu, "ja"],
  [/\p{Script=Hangul}/gu, "ko"],
  [/\p{Script=Han}/gu, "zh"],
  [/\p{Script=Greek}/gu, "el"],
  [/\p{Script=Hebrew}/gu, "he"],
  [/\p{Script=Devanagari}/gu, "hi"],
  [/\p{Script=Thai}/gu, "th"],
  [/\p{Script=Armenian}/gu, "hy"],
  [/\p{Script=Georgian}/gu, "ka"],
  [/[پچژگک]/gu, "fa"],
  [/\p{Script=Arabic}/gu, "ar"],
  [/[іїєґ]/giu, "uk"],
  [/\p{Script=Cyrillic}/gu, "ru"]
]

/** Letters that few languages have. */
const letters: ReadonlyArray<readonly [RegExp, ReadonlyArray<string>]> = [
  [/[ñ¿¡]/giu, ["es"]],
  [/ß/gu, ["de"]],
  [/[ãõ]/giu, ["pt"]],
  [/[łżźśćńąę]/giu, ["pl"]],
  [/[őű]/giu, ["hu"]],
  [/[ğış]/gu, ["tr"]],
  [/[ășțţ]/giu, ["ro"]],
  [/[ěřů]/giu, ["cs"]],
  [/[æø]/giu, ["da", "nb"]],
  [/å/giu, ["sv", "da", "nb"]],
  [/[ùœ]/giu, ["fr"]],
  [/[èêçà]/giu, ["fr", "it"]],
  [/[äö]/giu, ["de", "sv", "fi"]],
  [/ü/giu, ["de", "tr"]]
]

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

const letterShare = 0.5

const byScript = (text: string) => {
  const lettersInAll = Math.max(1, count(text, /\p{L}/gu))
  const isMostlyLatin = count(text, /\p{Script=Latin}/gu) / lettersInAll > letterShare
  return isMostlyLatin ? undefined : scripts.find(([pattern]) => count(text, pattern) > 0)?.[1]
}

/** The language of a text, judged by its script, common words and rare letters; English when nothing matches. */
export const guessLanguage = (text: string): string => {
  const script = byScript(text)
  if (script !== undefined) return script
  const words = wordsOf(text)
  const scores = Object.entries(stopWords).map(([language, list]) => {
    const small = words.filter((word) => list.has(word)).length
    const rare = letters.filter(([pattern, languages]) => languages.includes(language) && count(text, pattern) > 0)
    return { language, score: small + rare.reduce((sum, [, languages]) => sum + 2 / languages.length, 0) }
  })
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a))
  return best.score > 0 ? best.language : "en"
}
