import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { Settings } from "../settings/Settings.ts"

/** Where a secret is stored. It can be read back only from there. */
export interface SecretLocation {
  readonly table: string
  readonly column: string
  readonly customerID: number
}

interface Key {
  readonly id: string
  readonly bytes: Buffer
}

const makeKey = (secret: Redacted.Redacted): Key => {
  const bytes = createHash("sha256")
    .update(`casework secrets ${Redacted.value(secret)}`)
    .digest()
  return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 8), bytes }
}

const boundTo = (place: SecretLocation) => Buffer.from(`${place.table}.${place.column}.${place.customerID}`)

const encrypt = (key: Key, place: SecretLocation, plain: string) => {
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key.bytes, iv).setAAD(boundTo(place))
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${key.id}.${iv.toString("base64url")}.${sealed.toString("base64url")}`
}

const decrypt = (keys: ReadonlyArray<Key>, place: SecretLocation, stored: string) => {
  const [id, iv, sealed] = stored.split(".")
  const key = keys.find((candidate) => candidate.id === id)
  if (key === undefined || iv === undefined || sealed === undefined) {
    throw new Error(
      `A secret in ${place.table}.${place.column} was encrypted with a key that SECRETS_KEY no longer lists`
    )
  }
  const bytes = Buffer.from(sealed, "base64url")
  // The length is pinned: otherwise a truncated tag, which is easy to forge, would be accepted.
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, Buffer.from(iv, "base64url"), { authTagLength: 16 })
    .setAAD(boundTo(place))
    .setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8")
}

/** Encryption at rest: AES-256-GCM, the key's id beside the value, bound to table, column and customer. */
export class Secrets extends Context.Tag("casework/Secrets")<
  Secrets,
  {
    readonly encrypt: (place: SecretLocation, plain: string) => string
    /** A value that cannot be decrypted is a defect: a key is missing or the row was tampered with. */
    readonly decrypt: (place: SecretLocation, stored: string) => Effect.Effect<string>
    readonly isCurrent: (stored: string) => boolean
    /** Whether SECRETS_KEY lists the key of a value. */
    readonly knowsKeyOf: (stored: string) => boolean
  }
>() {
  static readonly layer = Layer.effect(
    Secrets,
    Effect.map(Settings, ({ secretsKeys: [first, ...rest] }) => {
      const current = makeKey(first)
      const keys = [current, ...rest.map(makeKey)]
      return {
        encrypt: (place, plain) => encrypt(current, place, plain),
        decrypt: (place, stored) => Effect.sync(() => decrypt(keys, place, stored)),
        isCurrent: (stored) => stored.startsWith(`${current.id}.`),
        knowsKeyOf: (stored) => keys.some(({ id }) => stored.startsWith(`${id}.`))
      }
    })
  )
}
