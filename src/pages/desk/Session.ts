import { Option, Schema } from "effect"
import { CustomerRepID } from "../../../schema/Ids.ts"
import { inStorage } from "../dom/InStorage.ts"
import { isRecord } from "../hub/Protocol.ts"

export interface Session {
  readonly token: string
  readonly username: string
  readonly customerRepID: CustomerRepID
  readonly expiresAt: number
}

const key = "casework-desk:token"
const untilKey = "casework-desk:until"
const departuresKey = "casework-desk:departures"

const departuresOf = (customerRepID: CustomerRepID) => `${departuresKey}:${customerRepID}`

const toCustomerRepID = Schema.decodeUnknownOption(CustomerRepID)

const claimsOf = (token: string): Readonly<Record<string, unknown>> => {
  try {
    const payload = token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(claims) ? claims : {}
  } catch {
    return {}
  }
}

/** What the page needs to know from its token; only the service knows whether the token is valid. */
export const sessionOf = (token: string, expiresAt: number): Session | undefined => {
  const { CustomerRepID: id, sub } = claimsOf(token)
  const customerRepID = Option.getOrUndefined(toCustomerRepID(Number(id)))
  if (typeof sub !== "string" || customerRepID === undefined) return undefined
  return { token, username: sub, customerRepID, expiresAt }
}

/**
 * How often this person has logged out in this browser: a tab that showed something else meanwhile has not been told.
 * Counted, since the clock may be set back.
 */
const departures = (customerRepID: CustomerRepID) =>
  inStorage("localStorage", (storage) => Number(storage.getItem(departuresOf(customerRepID)))) ?? 0

/** A tab's session lasts until the tab closes; where storage is unavailable, only until the page closes. */
export const restoreSession = () =>
  inStorage("sessionStorage", (storage) => {
    const expiresAt = Number(storage.getItem(untilKey))
    const session = expiresAt > Date.now() ? sessionOf(storage.getItem(key) ?? "", expiresAt) : undefined
    if (session === undefined) return undefined
    return Number(storage.getItem(departuresKey)) === departures(session.customerRepID) ? session : undefined
  })

/** Keeps a session that has begun in another tab. */
export const keepSession = ({ customerRepID, expiresAt, token }: Session) =>
  inStorage("sessionStorage", (storage) => {
    storage.setItem(key, token)
    storage.setItem(untilKey, String(expiresAt))
    storage.setItem(departuresKey, String(departures(customerRepID)))
  })

/** The local clock may be off by days, so the token's lifetime is counted from now instead of read off the clock. */
export const beginSession = (token: string) => {
  const { exp, iat } = claimsOf(token)
  const lasts = typeof exp === "number" && typeof iat === "number" ? (exp - iat) * 1000 : 0
  const session = sessionOf(token, Date.now() + lasts)
  if (session !== undefined) keepSession(session)
  return session
}

/** Ends all sessions of a person in this browser. */
export const leaveEverywhere = (customerRepID: CustomerRepID) =>
  inStorage("localStorage", (storage) =>
    storage.setItem(departuresOf(customerRepID), String(departures(customerRepID) + 1))
  )

export const endSession = () => {
  inStorage("sessionStorage", (storage) => {
    for (const one of [key, untilKey, departuresKey]) storage.removeItem(one)
  })
}
