import { Effect } from "effect"
import type { SecretPlace, Secrets } from "./Secrets.ts"

/** What a secret reads as. */
export const mask = "********"

/** How a stored secret is shown: whether there is one, never which. */
export const masked = (stored: string | null) => (stored === null ? null : mask)

/** What a caller writes into a secret: missing or the mask leaves it, null or an empty text clears it. */
type WrittenSecret = string | null | undefined

/** The column's value after a write. */
export const writtenSecret = (
  secrets: typeof Secrets.Service,
  place: SecretPlace,
  written: WrittenSecret,
  stored: string | null = null
) => {
  if (written === undefined || written === mask) return stored
  return written === null || written === "" ? null : secrets.encrypt(place, written)
}

/** The secret in clear. */
export const readSecret = (secrets: typeof Secrets.Service, place: SecretPlace, stored: string | null) =>
  stored === null ? Effect.succeed(null) : secrets.decrypt(place, stored)
