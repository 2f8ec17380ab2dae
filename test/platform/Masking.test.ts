import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mask, masked, readSecret, writtenSecret } from "../../src/platform/secrets/Masking.ts"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { settingsLayer } from "../support/TestApp.ts"

const TestSecrets = Secrets.layer.pipe(Layer.provide(settingsLayer()))

const place = { table: "document", column: "override_api_token", customerID: 1 }

describe("masking", () => {
  layer(TestSecrets)((it) => {
    it.effect("shows whether there is a secret, and keeps it when the mask is written back", () =>
      Effect.gen(function* () {
        const secrets = yield* Secrets
        const stored = writtenSecret(secrets, place, "top-secret")
        expect(stored).not.toContain("top-secret")
        expect(masked(stored)).toBe(mask)
        expect(masked(null)).toBeNull()
        expect(writtenSecret(secrets, place, mask, stored)).toBe(stored)
        expect(writtenSecret(secrets, place, undefined, stored)).toBe(stored)
        expect(writtenSecret(secrets, place, mask)).toBeNull()
        expect(writtenSecret(secrets, place, null, stored)).toBeNull()
        expect(writtenSecret(secrets, place, "", stored)).toBeNull()
        expect(yield* readSecret(secrets, place, stored)).toBe("top-secret")
        expect(yield* readSecret(secrets, place, null)).toBeNull()
        const elsewhere = yield* Effect.exit(readSecret(secrets, { ...place, customerID: 2 }, stored))
        expect(elsewhere._tag).toBe("Failure")
      })
    )
  })
})
