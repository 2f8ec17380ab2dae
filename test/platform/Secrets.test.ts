import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, FastCheck as fc, Layer } from "effect"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { settingsLayer } from "../support/TestApp.ts"

const place = { table: "customer", column: "api_token", customerID: 7 }

const [oldKey, newKey] = ["the-old-key-of-enough-length", "the-new-key-of-enough-length"]

const withKeys = <A, E>(keys: string, use: (secrets: typeof Secrets.Service) => Effect.Effect<A, E>) =>
  Effect.flatMap(Secrets, use).pipe(
    Effect.provide(Secrets.layer.pipe(Layer.provide(settingsLayer({ SECRETS_KEY: keys }))))
  )

const cannotRead = (secrets: typeof Secrets.Service, stored: string, from = place) =>
  Effect.map(Effect.exit(secrets.decrypt(from, stored)), Exit.isFailure)

describe("Secrets", () => {
  it.live("are decrypted to what they were, and never look the same twice", () =>
    withKeys(oldKey, (secrets) =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.string({ unit: "grapheme" }), async (plain) => {
            const [one, other] = [secrets.encrypt(place, plain), secrets.encrypt(place, plain)]
            expect(one).not.toBe(other)
            expect(await Effect.runPromise(secrets.decrypt(place, one))).toBe(plain)
          })
        )
      )
    )
  )

  it.live("are bound to table, column and customer", () =>
    withKeys(oldKey, (secrets) =>
      Effect.gen(function* () {
        const stored = secrets.encrypt(place, "hush")
        for (const elsewhere of [
          { ...place, table: "channel" },
          { ...place, column: "api_password" },
          { ...place, customerID: 8 }
        ]) {
          expect(yield* cannotRead(secrets, stored, elsewhere)).toBe(true)
        }
      })
    )
  )

  it.live("are refused when a single character changed or the seal was cut", () =>
    withKeys(oldKey, (secrets) =>
      Effect.gen(function* () {
        const stored = secrets.encrypt(place, "hush")
        const [id = "", iv = "", sealed = ""] = stored.split(".")
        const bytes = Buffer.from(sealed, "base64url")
        for (const index of bytes.keys()) {
          const changed = Buffer.from(bytes)
          changed[index] = (changed[index] ?? 0) ^ 1
          expect(yield* cannotRead(secrets, `${id}.${iv}.${changed.toString("base64url")}`)).toBe(true)
        }
        // The empty text sealed with only the first 4 bytes of its tag would be easy to forge.
        const [emptyId, emptyIv, emptySealed = ""] = secrets.encrypt(place, "").split(".")
        const cut = Buffer.from(emptySealed, "base64url").subarray(0, 4).toString("base64url")
        for (const broken of ["", "x", "a.b.c", `${id}..`, `${id}.${iv}.`, `${emptyId}.${emptyIv}.${cut}`]) {
          expect(yield* cannotRead(secrets, broken), broken).toBe(true)
        }
      })
    )
  )

  it.live("stay readable while their key is listed, and say which are due for the new key", () =>
    Effect.gen(function* () {
      const stored = yield* withKeys(oldKey, (secrets) => Effect.sync(() => secrets.encrypt(place, "hush")))
      yield* withKeys(`${newKey},${oldKey}`, (secrets) =>
        Effect.gen(function* () {
          expect(yield* secrets.decrypt(place, stored)).toBe("hush")
          expect(secrets.isCurrent(stored)).toBe(false)
          expect(secrets.isCurrent(secrets.encrypt(place, "hush"))).toBe(true)
        })
      )
      const cause = yield* withKeys(newKey, (secrets) => Effect.flip(Effect.sandbox(secrets.decrypt(place, stored))))
      expect(Cause.pretty(cause)).toContain("SECRETS_KEY no longer lists")
    })
  )
})
