import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { inOneLine } from "../../src/KnownError.ts"
import { adminWith } from "../admin/RunAdmin.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { clientOf, send } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const [oldKey, newKey, otherKey] = ["old-key-of-enough-length", "new-key-of-enough-length", "another-key-long-enough"]

const refusal = /^Settings: SECRETS_KEY does not list the key that this database's secrets are encrypted with\./

/** Returns "ready", or the line that a start with these keys fails with. */
const startWith = (keys: string) =>
  Effect.map(Effect.exit(onAnotherNode({ SECRETS_KEY: keys })(send("GET", "/health/ready"))), (exit) => {
    if (Exit.isFailure(exit)) return inOneLine(exit.cause)
    return exit.value.status === 200 ? "ready" : exit.value.text
  })

const rotate = (keys: string, ...words: ReadonlyArray<string>) =>
  adminWith({ settings: { SECRETS_KEY: keys } }, "rotate-secrets", ...words)

const storeSecret = (key: string) =>
  Effect.gen(function* () {
    const { customers } = yield* clientOf("acme-admin")
    yield* customers.updateCustomer({ payload: { aiProviderApiKey: "sk-hush" } })
  }).pipe(onAnotherNode({ SECRETS_KEY: key }))

const forget = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from installation where name = 'secrets key'`)

layer(TestDatabase, { excludeTestServices: true })("A start with a SECRETS_KEY", (it) => {
  it.effect("is refused for another key than the database's, until the key has been changed step by step", () =>
    Effect.gen(function* () {
      expect(yield* startWith(oldKey)).toBe("ready")
      expect(yield* startWith(newKey)).toMatch(refusal)
      expect(yield* startWith(`${oldKey},${newKey}`)).toBe("ready")
      expect(yield* startWith(`${newKey},${oldKey}`)).toBe("ready")
      expect(yield* startWith(newKey)).toMatch(refusal)
      expect((yield* rotate(`${newKey},${oldKey}`)).succeeded).toBe(true)
      expect(yield* startWith(newKey)).toBe("ready")
      expect(yield* startWith(oldKey)).toMatch(refusal)
    })
  )

  it.effect("succeeds only with the first key when several start at once with different ones", () =>
    Effect.gen(function* () {
      yield* forget
      const starts = yield* Effect.forEach([oldKey, newKey, oldKey, newKey], startWith, { concurrency: "unbounded" })
      const [ready, others] = [starts.filter((line) => line === "ready"), starts.filter((line) => line !== "ready")]
      expect(ready).toHaveLength(2)
      expect(others).toEqual([expect.stringMatching(refusal), expect.stringMatching(refusal)])
    })
  )

  it.effect("is checked against the stored secrets when no start has recorded its key yet", () =>
    Effect.gen(function* () {
      yield* forget
      yield* storeSecret(oldKey)
      yield* forget
      expect(yield* startWith(newKey)).toMatch(refusal)
      expect(yield* startWith(`${newKey},${oldKey}`)).toBe("ready")
    })
  )

  it.effect("works without a lost key when the operator says so", () =>
    Effect.gen(function* () {
      const { errors } = yield* rotate(otherKey)
      expect(errors.join()).toContain("--key-lost")
      expect(yield* startWith(otherKey)).toMatch(refusal)
      const { output, succeeded } = yield* rotate(otherKey, "--key-lost")
      expect(succeeded).toBe(true)
      expect(output).toContain(
        "1 could not be decrypted and remain unchanged: customer.ai_provider_api_key of 1. Enter them"
      )
      expect(yield* startWith(otherKey)).toBe("ready")
      yield* storeSecret(otherKey)
      expect((yield* rotate(otherKey)).succeeded).toBe(true)
    })
  )
})
