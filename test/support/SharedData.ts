import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { temporaryFolder } from "./TemporaryFolder.ts"
import { copyOfTemplate } from "./TestDatabase.ts"

/** Where the nodes keep their data: a database they all share, or a folder that they use one after another. */
export const sharedData = Effect.gen(function* () {
  const template = inject("template")
  if (template.kind === "embedded") return { DATA_DIR: yield* temporaryFolder }
  return {
    DATABASE_URL: Redacted.value(yield* copyOfTemplate(template.url, template.name)),
    JWT_SECRET: "test-jwt-secret-of-enough-length",
    SECRETS_KEY: "test-secrets-key-of-enough-length"
  }
})
