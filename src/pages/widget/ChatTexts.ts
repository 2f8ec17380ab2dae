import type { ChatTexts as Contract } from "../../../schema/ChannelTranslations.ts"
import { englishChatTexts } from "../../../schema/EnglishChatTexts.ts"
import { isRecord } from "../hub/Protocol.ts"
import type { Options } from "./Options.ts"

export type ChatTexts = typeof Contract.Encoded

const english: ChatTexts = englishChatTexts

const readTexts = (answer: unknown): ChatTexts => {
  const given = isRecord(answer) ? answer : {}
  const texts = Object.entries(english).map(([name, text]) => {
    const value = given[name]
    return [name, typeof value === "string" && value !== "" ? value : text]
  })
  return { ...english, ...Object.fromEntries(texts) }
}

/** The longest that the chat waits for its texts. */
const longestWait = 3000

/** The channel's texts in the visitor's language. */
export const loadTexts = async ({ channelToken, language, service }: Options): Promise<ChatTexts> => {
  const address = new URL("/api/ChannelTranslations/resolve", service)
  address.search = new URLSearchParams({ token: channelToken, lang: language }).toString()
  try {
    const response = await fetch(address, { credentials: "omit", signal: AbortSignal.timeout(longestWait) })
    return response.ok ? readTexts(await response.json()) : english
  } catch {
    return english
  }
}
