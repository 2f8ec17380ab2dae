import { conceptOf } from "./Lexicon.ts"
import { isStopWord } from "./StopWords.ts"

/** Lower case without accents, so that "Clé" and "cle" are one word. */
export const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ł", "l")
    .replaceAll("ø", "o")
    .replaceAll("ı", "i")
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")

export const wordsOf = (text: string): ReadonlyArray<string> => plain(text).match(/[\p{L}\p{N}]+/gu) ?? []

const stem = (word: string) => (word.length > 6 ? word.slice(0, 6) : word.replace(/(?<=\w{3})(?:es|s|en|e)$/, ""))

/**
 * What a text is about: its words without stop words, replaced by a concept where several languages have a word for it.
 */
export const termsOf = (text: string): ReadonlySet<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => word.length > 2 && !isStopWord(word) && !/^\d+$/.test(word))
      .map((word) => conceptOf(word) ?? stem(word))
  )

export const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")

/** The number of terms that two texts share. */
export const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  [...one].filter((term) => other.has(term)).length
