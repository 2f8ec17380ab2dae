import { Struct } from "effect"
import { type ChannelTranslation, ChatTexts } from "../../schema/ChannelTranslations.ts"
import { englishChatTexts } from "../../schema/EnglishChatTexts.ts"
import { canonicalLanguage } from "../../schema/LanguageTag.ts"

const english = new ChatTexts(englishChatTexts)

/** de-CH-1996, de-CH, de: from the language itself to its base language. */
const widening = (language: string): ReadonlyArray<string> => {
  const subtags = (canonicalLanguage(language) ?? language).split("-")
  return subtags.map((_, index) => subtags.slice(0, subtags.length - index).join("-"))
}

/** The translations of a channel that match a language, the closest first. */
const matching = (translations: ReadonlyArray<ChannelTranslation>, languages: ReadonlyArray<string>) =>
  languages.flatMap((wanted) =>
    translations.filter(({ lang }) => lang.toLowerCase() === wanted.toLowerCase()).slice(0, 1)
  )

/** The texts of a chat window: each from the channel, else from the default channel, else in English. */
export const resolveChatTexts = (
  language: string,
  ofChannel: ReadonlyArray<ChannelTranslation>,
  ofDefaultChannel: ReadonlyArray<ChannelTranslation>
): ChatTexts => {
  const languages = widening(language)
  const sources = [...matching(ofChannel, languages), ...matching(ofDefaultChannel, languages), english]
  const texts = Struct.keys(ChatTexts.fields).map((field) => [
    field,
    sources.map((source) => source[field]).find((text) => text !== null) ?? english[field]
  ])
  return new ChatTexts({ ...english, ...Object.fromEntries(texts) })
}
