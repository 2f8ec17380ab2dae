import type { ChannelType } from "./ChannelTypes.ts"

const isThere = (text: string) => text.trim() !== ""
const isNumber = (text: string) => /^(?:whatsapp:)?\+\d{7,15}$/i.test(text.replace(/[\s()/.-]/g, ""))

/** What a channel can send to: for example, the uid of a chat is not a mail address. */
export const fits: Readonly<Record<ChannelType, (text: string) => boolean>> = {
  Email: (text) => /^[^\r\n]*[^\s@]@[^\s@][^\r\n]*$/.test(text),
  Chat: isThere,
  Phone: isThere,
  WhatsApp: isNumber
}
