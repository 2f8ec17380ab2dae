import { Effect } from "effect"
import type { SecretLocation, Secrets } from "./Secrets.ts"

/** What is shown in place of a secret. */
export const mask = "********"

/** Masks a stored secret: shows whether there is one, never its value. */
export const masked = (stored: string | null) => (stored === null ? null : mask)

/** A caller's value for a secret: undefined or the mask keeps it, null or an empty text clears it. */
type WrittenSecret = string | null | undefined

/** The column's value after a write. */
export const writtenSecret = (
  secrets: typeof Secrets.Service,
  place: SecretLocation,
  written: WrittenSecret,
  stored: string | null = null
) => {
  if (written === undefined || written === mask) return stored
  return written === null || written === "" ? null : secrets.encrypt(place, written)
}

/** Decrypts a stored secret. */
export const readSecret = (secrets: typeof Secrets.Service, place: SecretLocation, stored: string | null) =>
  stored === null ? Effect.succeed(null) : secrets.decrypt(place, stored)
