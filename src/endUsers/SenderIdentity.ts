import { Array as Arr } from "effect"
import addressparser from "nodemailer/lib/addressparser"
import type { EndUserUIDCreate } from "../../schema/EndUsers.ts"
import { longestUid } from "../../schema/Uid.ts"
import { cut } from "../platform/text/Cut.ts"

/** What a message says about its sender. */
export interface Sender {
  readonly uid?: string | null | undefined
  readonly fromAddress?: string | null | undefined
  readonly fromName?: string | null | undefined
  readonly phone?: string | null | undefined
}

const filled = (text: string | null | undefined, longest = longestUid) => cut((text ?? "").trim(), longest) || null

const longestName = 255

const isPhone = (uid: string) => /^\+?[\d\s()/.-]+$/.test(uid) && /^\d{7,15}$/.test(uid.replace(/\D/g, ""))

const typeOf = (uid: string) => {
  if (/^[^\s@]+@[^\s@]+$/.test(uid)) return "Email"
  return isPhone(uid) ? "Phone" : "External"
}

/** Removes the prefix by which the phone provider marks a number of its WhatsApp channel. */
const withoutChannel = (uid: string) => {
  const number = uid.replace(/^whatsapp:/i, "")
  return isPhone(number) ? number : uid
}

/** The spellings of a UID: as written and, for a phone number, with or without the phone provider's prefix. */
export const spellingsOf = (uid: string) => {
  const number = withoutChannel(uid)
  if (number !== uid) return [uid, number]
  return isPhone(uid) ? [uid, `whatsapp:${uid}`] : [uid]
}

/** Mail programs write "Keller, Maria" as often as "Maria Keller". */
const splitName = (name: string) => {
  const [, last, first] = /^([^,]+),\s*([^,]+)$/.exec(name) ?? []
  if (first !== undefined && last !== undefined) return { FirstName: first.trim(), LastName: last.trim() }
  const [FirstName = "", ...rest] = name.split(/\s+/)
  return { FirstName, LastName: rest.join(" ") }
}

/** Mails say "Maria Keller <maria@mail.example>" and may name several addresses: the first one is the sender. */
const mailboxOf = (written: string | null | undefined) => {
  const text = (written ?? "").trim()
  if (!text.includes("@") || !/[\s<>,;"]/.test(text)) return { address: text, name: "" }
  return (
    addressparser(text, { flatten: true }).find(({ address }) => address.includes("@")) ?? { address: text, name: "" }
  )
}

const named = (sender: Sender) =>
  [filled(sender.uid), filled(mailboxOf(sender.fromAddress).address), filled(sender.phone)].filter(
    (word) => word !== null
  )

/** The words that a sender may be known by, the most reliable first. */
export const wordsOf = (sender: Sender) => Arr.dedupe(named(sender).flatMap(spellingsOf))

/** The words that a sender may be known by, and the end user to create if none matches. */
export const identityOf = (sender: Sender) => {
  const mailbox = mailboxOf(sender.fromAddress)
  const [uid, address, phone] = [filled(sender.uid), filled(mailbox.address), filled(sender.phone)]
  const own = Arr.dedupe(named(sender).flatMap((word) => [word, withoutChannel(word)]))
  const email = [address, uid].find((text) => text !== null && typeOf(text) === "Email") ?? null
  const number = phone ?? own.find(isPhone) ?? null
  const given = filled((sender.fromName?.trim() || mailbox.name).replace(/["\s]+/g, " "), longestName)
  // An address or a number is one word, even with spaces.
  const word = filled(email?.split("@")[0] ?? own[0], longestName) ?? "Unknown"
  return {
    known: wordsOf(sender),
    fields: {
      ...(given === null ? { FirstName: word, LastName: "" } : splitName(given)),
      DisplayName: null,
      Email: email,
      Phone: number?.slice(0, 50) ?? null,
      CustomerRef: null,
      Notes: null
    },
    uids: own.map((UID, index, all): EndUserUIDCreate => {
      const UIDType = typeOf(UID)
      return { UID, UIDType, IsPrimary: all.findIndex((other) => typeOf(other) === UIDType) === index }
    })
  }
}
