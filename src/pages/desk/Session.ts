import { isRecord } from "../hub/Protocol.ts"

export interface Session {
  readonly token: string
  readonly username: string
  readonly customerRepID: number
  readonly expiresAt: number
}

const key = "casework-desk:token"

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

/** What the page needs to know of its token; whether it is good, only the service knows. */
const sessionOf = (token: string): Session | undefined => {
  const { CustomerRepID, exp, sub } = claimsOf(token)
  const expiresAt = typeof exp === "number" ? exp * 1000 : 0
  return typeof sub === "string" && expiresAt > Date.now()
    ? { token, username: sub, customerRepID: Number(CustomerRepID), expiresAt }
    : undefined
}

/** For this tab only, until it closes. */
export const restoreSession = () => sessionOf(sessionStorage.getItem(key) ?? "")

export const beginSession = (token: string) => {
  sessionStorage.setItem(key, token)
  return sessionOf(token)
}

export const endSession = () => sessionStorage.removeItem(key)
