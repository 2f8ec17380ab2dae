import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../../src/platform/Settings.ts"

const given = {
  DATABASE_URL: "postgres://localhost/casework",
  JWT_SECRET: "a-jwt-secret-of-enough-length",
  SECRETS_KEY: "a-secrets-key-of-enough-length"
}

const settingsOf = (environment: Readonly<Record<string, string | undefined>>) => {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  const provider = Layer.setConfigProvider(ConfigProvider.fromMap(new Map(entries)))
  return Settings.pipe(Effect.provide(Settings.layer.pipe(Layer.provide(provider))))
}

const dataDir = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "casework-settings-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

describe("Settings", () => {
  for (const name of ["JWT_SECRET", "SECRETS_KEY"] as const) {
    for (const missing of [undefined, ""]) {
      it.live(`with DATABASE_URL need ${name}, here ${missing === undefined ? "unset" : "empty"}`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(settingsOf({ ...given, [name]: missing }))
          expect(String(error)).toContain(`${name} must be set when DATABASE_URL is set`)
          expect(String(error)).not.toContain("\n")
        })
      )
    }

    it.live(`refuse a short ${name} without telling it`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(settingsOf({ ...given, [name]: "a-good-long-enough-secret, too-short" }))
        expect(String(error)).toContain(name)
        expect(String(error)).not.toContain("too-short")
      })
    )
  }

  for (const [name, value] of [
    ["PORT", "abc"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["BASE_URL", "casework.example"],
    ["BASE_URL", "ftp://casework.example"],
    ["DEMO", "maybe"],
    ["TRUST_PROXY", "2"],
    ["AI_PROVIDER", "claude"],
    ["OPENAI_BASE_URL", "localhost:11434"],
    ["BLOB_STORE", "disk"]
  ] as const) {
    it.live(`refuse ${name}=${value} in one line`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(settingsOf({ ...given, [name]: value }))
        expect(String(error)).toContain(name)
        expect(String(error)).toContain(value)
        expect(String(error)).not.toContain("\n")
      })
    )
  }

  for (const [value, problem] of [
    ["s3://", "s3://bucket"],
    ["s3://Bucket_1", "s3://bucket"],
    ["s3://files?endpoint=files.example", "http or https"],
    ["s3://files?secret=x", "secret"],
    ["s3://key:hush@files", "AWS_"]
  ] as const) {
    it.live(`refuse BLOB_STORE=${value} in one line`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(settingsOf({ ...given, BLOB_STORE: value }))
        expect(String(error)).toContain("BLOB_STORE")
        expect(String(error)).toContain(problem)
        expect(String(error)).not.toMatch(/\n|hush/)
      })
    )
  }

  for (const value of [
    "garbage",
    "smtp//user:hush@mail.example",
    "mail.example:587",
    "http://user:hush@mail.example",
    "smtp:",
    "smtp:mail.example",
    "smtp://user:hush@",
    "smtp://user:hush#1@mail.example",
    "smtp://user:hush@mail.example:99999"
  ]) {
    it.live(`refuse SMTP_URL=${value} in one line without telling it`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(settingsOf({ ...given, SMTP_URL: value }))
        expect(String(error)).toMatch(/SMTP_URL.*smtp:\/\/ or smtps:\/\//)
        expect(String(error)).not.toMatch(/\n|garbage|user|hush|mail\.example/)
      })
    )
  }

  it.live("take SMTP_URL as it is given, and none when it is empty", () =>
    Effect.gen(function* () {
      for (const value of ["smtp://localhost", "smtps://user%40a.example:p%23w@mail.example:465", "SMTP://[::1]:25"]) {
        const { smtpUrl } = yield* settingsOf({ ...given, SMTP_URL: value })
        expect(Option.map(smtpUrl, Redacted.value)).toEqual(Option.some(value))
        expect(String(Option.getOrNull(smtpUrl))).toBe("<redacted>")
      }
      expect((yield* settingsOf({ ...given, SMTP_URL: "" })).smtpUrl).toEqual(Option.none())
    })
  )

  it.live("keep files in the database that was given, or where BLOB_STORE says", () =>
    Effect.gen(function* () {
      const placeOf = (BLOB_STORE: string) =>
        Effect.map(settingsOf({ ...given, BLOB_STORE }), ({ blobPlace }) => blobPlace)
      expect(yield* placeOf("")).toEqual({ _tag: "Postgres" })
      expect(yield* placeOf("Folder")).toEqual({ _tag: "Folder" })
      expect(yield* placeOf("s3://files")).toEqual({ _tag: "S3", bucket: "files", prefix: "", region: "us-east-1" })
      expect(yield* placeOf("s3://files/a/b/?endpoint=http://localhost:9000&region=eu-central-1")).toEqual({
        _tag: "S3",
        bucket: "files",
        prefix: "a/b/",
        endpoint: "http://localhost:9000",
        region: "eu-central-1"
      })
    })
  )

  it.live("have defaults, also for what is set but empty", () =>
    Effect.gen(function* () {
      const empty = {
        PORT: "",
        HOST: "",
        BASE_URL: "",
        DEMO: "",
        TRUST_PROXY: "",
        CORS_ORIGINS: "",
        PLATFORM_KEY: "",
        AI_PROVIDER: ""
      }
      for (const environment of [given, { ...given, ...empty }]) {
        expect(yield* settingsOf(environment)).toMatchObject({
          port: 3000,
          baseUrl: "http://localhost:3000",
          demo: false,
          loginLocalhost: true,
          trustProxy: false,
          corsOrigins: [],
          aiProvider: "openai"
        })
      }
    })
  )

  it.live("let the sandbox answer for AI on the embedded database, unless told otherwise", () =>
    Effect.gen(function* () {
      const { DATABASE_URL: _, ...embedded } = given
      expect((yield* settingsOf(embedded)).aiProvider).toBe("sandbox")
      expect((yield* settingsOf({ ...embedded, AI_PROVIDER: "OpenAI" })).aiProvider).toBe("openai")
      expect((yield* settingsOf({ ...given, AI_PROVIDER: "sandbox" })).aiProvider).toBe("sandbox")
    })
  )

  it.live("are read as written", () =>
    Effect.gen(function* () {
      const settings = yield* settingsOf({
        ...given,
        JWT_SECRET: "the-first-secret-of-two, the-second-secret-of-two",
        PORT: "8080",
        BASE_URL: "https://casework.example/",
        DEMO: "TRUE",
        LOGIN_LOCALHOST: "False"
      })
      expect(settings).toMatchObject({
        port: 8080,
        baseUrl: "https://casework.example",
        demo: true,
        loginLocalhost: false
      })
      expect(settings.jwtSecrets.map(Redacted.value)).toEqual(["the-first-secret-of-two", "the-second-secret-of-two"])
      expect(JSON.stringify(settings)).not.toMatch(/secret-of-two|postgres:/)
    })
  )

  it.scopedLive("on the embedded database make the secrets once and keep them for the owner alone", () =>
    Effect.gen(function* () {
      const DATA_DIR = join(yield* dataDir, "new", "data")
      const all = yield* Effect.all(
        Array.from({ length: 8 }, () => settingsOf({ DATA_DIR })),
        { concurrency: 8 }
      )
      const secrets = all.map(({ jwtSecrets, secretsKeys }) => [...jwtSecrets, ...secretsKeys].map(Redacted.value))
      expect(new Set(secrets.map(String)).size).toBe(1)
      expect(new Set(secrets[0]).size).toBe(2)
      for (const secret of secrets[0] ?? []) expect(secret.length).toBeGreaterThan(40)
      expect(all[0]).toMatchObject({ demo: true, blobPlace: { _tag: "Folder" } })
      yield* Effect.promise(async () => {
        expect((await readdir(DATA_DIR)).sort()).toEqual(["jwt_secret.txt", "secrets_key.txt"])
        await chmod(join(DATA_DIR, "jwt_secret.txt"), 0o644)
      })
      const [first] = (yield* settingsOf({ DATA_DIR })).jwtSecrets
      yield* Effect.promise(async () => {
        for (const file of ["jwt_secret.txt", "secrets_key.txt"]) {
          expect((await stat(join(DATA_DIR, file))).mode & 0o777).toBe(0o600)
        }
        expect(await readFile(join(DATA_DIR, "jwt_secret.txt"), "utf8")).toBe(Redacted.value(first))
      })
    })
  )
})
