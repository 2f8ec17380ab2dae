import type { EndUserUIDCreate } from "../../schema/EndUsers.ts"

/** What a message says of the one who sent it. */
export interface Sender {
  readonly uid?: string | null | undefined
  readonly fromAddress?: string | null | undefined
  readonly fromName?: string | null | undefined
  readonly phone?: string | null | undefined
}

const filled = (text: string | null | undefined) => (text ?? "").trim().slice(0, 255) || null

const typeOf = (uid: string) => {
  if (/^[^\s@]+@[^\s@]+$/.test(uid)) return "Email"
  return /^\+?[\d\s()/.-]{5,}$/.test(uid) ? "Phone" : "External"
}

/** Mail programs write "Keller, Maria" as often as "Maria Keller". */
const splitName = (name: string) => {
  const [, last, first] = /^([^,]+),\s*([^,]+)$/.exec(name) ?? []
  if (first !== undefined && last !== undefined) return { FirstName: first.trim(), LastName: last.trim() }
  const [FirstName = "", ...rest] = name.split(/\s+/)
  return { FirstName, LastName: rest.join(" ") }
}

/** Under what a sender may be known, the surest first. */
export const wordsOf = (sender: Sender) =>
  [filled(sender.uid), filled(sender.fromAddress), filled(sender.phone)].filter((text) => text !== null)

/** The same, and who it would be if it is not. */
export const identityOf = (sender: Sender) => {
  const [uid, address, phone] = [filled(sender.uid), filled(sender.fromAddress), filled(sender.phone)]
  const known = wordsOf(sender)
  const email = [address, uid].find((text) => text !== null && typeOf(text) === "Email") ?? null
  const number = phone ?? (uid !== null && typeOf(uid) === "Phone" ? uid : null)
  const name = filled(sender.fromName?.replace(/["\s]+/g, " ")) ?? email?.split("@")[0] ?? known[0] ?? "Unknown"
  return {
    known,
    fields: {
      ...splitName(name),
      DisplayName: null,
      Email: email,
      Phone: number?.slice(0, 50) ?? null,
      CustomerRef: null,
      Notes: null
    },
    uids: known.map((UID, index): EndUserUIDCreate => {
      const UIDType = typeOf(UID)
      return { UID, UIDType, IsPrimary: known.findIndex((other) => typeOf(other) === UIDType) === index }
    })
  }
}
