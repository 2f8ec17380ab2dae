import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Redacted } from "effect"
import { inOneLine } from "../../src/KnownError.ts"
import { keptSecret } from "../../src/platform/settings/KeptSecrets.ts"
import { Settings } from "../../src/platform/settings/Settings.ts"

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

/** The line that the operator sees when the start fails. */
const lineOf = (environment: Readonly<Record<string, string | undefined>>) =>
  Effect.map(Effect.flip(Effect.sandbox(settingsOf(environment))), inOneLine)

const { DATABASE_URL: _, ...embedded } = given

const dataDir = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "casework-settings-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

describe("Settings", () => {
  for (const name of ["JWT_SECRET", "SECRETS_KEY"] as const) {
    for (const missing of [undefined, ""]) {
      it.live(`need ${name} with DATABASE_URL, here ${missing === undefined ? "unset" : "empty"}`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(settingsOf({ ...given, [name]: missing }))
          expect(String(error)).toContain(`${name} must be set when DATABASE_URL is set`)
          expect(String(error)).not.toContain("\n")
        })
      )
    }

    it.live(`refuse a short ${name} without revealing it`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(settingsOf({ ...given, [name]: "a-good-long-enough-secret, too-short" }))
        expect(String(error)).toContain(name)
        expect(String(error)).not.toContain("too-short")
      })
    )
  }

  for (const [name, value, wrong = value] of [
    ["PORT", "abc"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["BASE_URL", "casework.example"],
    ["BASE_URL", "ftp://casework.example"],
    ["BASE_URL", "https:casework.example"],
    ["BASE_URL", "https://casework.example/?a=hush", '"https://casework.example/…"'],
    ["BASE_URL", "https://casework.example/desk#hush", '"https://casework.example/desk…"'],
    ["OPENAI_BASE_URL", "htps://key:hush@ai.example", '"htps://…@ai.example"'],
    ["DEMO", "maybe"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%0Akey", "OTEL_EXPORTER_OTLP_HEADERS"],
    ["TRUST_PROXY", "10"],
    ["TRUST_PROXY", "10.0.0.1"],
    ["MAIL_FROM", "a@b@c <x"],
    ["AI_PROVIDER", "claude"],
    ["OPENAI_BASE_URL", "localhost:11434"],
    ["CORS_ORIGINS", "desk.example"],
    ["CORS_ORIGINS", "https://desk.example, localhost:5173", '"localhost:5173"'],
    ["CORS_ORIGINS", "https://desk.example/, https://desk.example/app", '"https://desk.example/app"'],
    ["CORS_ORIGINS", "https://desk.example?a=b"],
    ["CORS_ORIGINS", "https://*.example"],
    ["CORS_ORIGINS", "https://desk.example https://other.example"],
    ["MAIL_FROM", "Casework"],
    ["MAIL_FROM", "Casework <@localhost>"],
    ["METRICS_TOKEN", "   ", "only whitespace"],
    ["PLATFORM_KEY", "\t ", "only whitespace"],
    ["RATE_LIMIT", "many", "a number from 1 to 1000000, or off, but"],
    ["RATE_LIMIT_ADDRESS", "1000001", "a number from 1 to 1000000, or off, but"],
    ["HUB_LIMIT", "-1", "a number from 1 to 1000000, or off, but"],
    ["HUB_LIMIT_ADDRESS", "00", "a number from 1 to 1000000, or off, but"],
    ["HUB_LIMIT_MESSAGES", "1.5", "a number from 1 to 1000000, or off, but"],
    ["BLOB_STORE", "disk"],
    ["BLOB_STORE", "s3://", "s3://bucket"],
    ["BLOB_STORE", "s3://Bucket_1", '"Bucket_1" is not a valid bucket name: a bucket name has 3 to 63'],
    ["BLOB_STORE", "s3://ab", '"ab" is not a valid bucket name: a bucket name has 3 to 63'],
    ["BLOB_STORE", "s3://files..old", '"files..old" is not a valid bucket name'],
    ["BLOB_STORE", "s3://store.example:9000/files", '"store.example:9000" is not a valid bucket name'],
    ["BLOB_STORE", "s3://my files", "a bucket name has 3 to 63"],
    ["BLOB_STORE", "s3://files/100%", "%25"],
    ["BLOB_STORE", "s3://files?endpoint=files.example", "The endpoint must be an http or https address"],
    ["BLOB_STORE", "s3://files?endpoint=http://key:hush@files.example", "AWS_"],
    ["BLOB_STORE", "s3://files?secret=x", "secret"],
    ["BLOB_STORE", "s3://key:hush@files", "AWS_"]
  ] as const) {
    it.live(`refuse ${name}=${value} in one line`, () =>
      Effect.gen(function* () {
        const line = yield* lineOf({ ...given, [name]: value })
        expect(line).toMatch(new RegExp(`^Settings: ${name}: `))
        expect(line).toContain(wrong)
        expect(line).not.toMatch(/\n|hush/)
      })
    )
  }

  for (const [name, schemes, values] of [
    [
      "SMTP_URL",
      "smtp:// or smtps://",
      ["http://user:hush@mail.example", "smtp:", "smtp:mail.example", "smtp://user:hush@"]
    ],
    [
      "DATABASE_URL",
      "postgres:// or postgresql://",
      [
        "mysql://user:hush@mail.example/casework",
        "postgres:mail.example",
        "postgres:///garbage",
        "postgres://user:hush@/garbage"
      ]
    ]
  ] as const) {
    const [scheme] = schemes.split(":")
    for (const value of [
      ...values,
      "garbage",
      "mail.example:587",
      `${scheme}//user:hush@mail.example`,
      `${scheme}://user:hush#1@mail.example`,
      `${scheme}://user:hush/1@mail.example`,
      `${scheme}://user:hush@mail.example:99999`
    ]) {
      it.live(`refuse ${name}=${value} in one line without revealing it`, () =>
        Effect.gen(function* () {
          expect(yield* lineOf({ ...given, [name]: value })).toBe(
            `Settings: ${name}: Expected ${schemes} and a host; in a password, write /, ? and # as %2F, %3F and %23`
          )
        })
      )
    }
  }

  it.live("refuse a ROLE that leaves work to other nodes on the embedded database, which has none", () =>
    Effect.gen(function* () {
      for (const ROLE of ["web", "worker"]) {
        expect(yield* lineOf({ ...embedded, ROLE })).toMatch(
          new RegExp(`^Settings: ROLE=${ROLE} needs DATABASE_URL: [^\\n]+$`)
        )
        expect((yield* settingsOf({ ...given, ROLE })).role).toBe(ROLE)
      }
      expect((yield* settingsOf({ ...embedded, ROLE: "all" })).role).toBe("all")
    })
  )

  it.scopedLive("refuse a DATA_DIR that is a file, or in one, wherever it is needed", () =>
    Effect.gen(function* () {
      const file = join(yield* dataDir, "file")
      yield* Effect.promise(() => writeFile(file, "x"))
      for (const DATA_DIR of [file, join(file, "data")]) {
        for (const others of [{}, embedded]) {
          const line = yield* lineOf({ ...others, DATA_DIR })
          expect(line).toMatch(/^Settings: DATA_DIR: Cannot write to the folder [^\n]+: ENOTDIR: not a directory$/)
          expect(line).toContain(DATA_DIR)
        }
        const kept = yield* Effect.flip(Effect.sandbox(keptSecret(DATA_DIR, "JWT_SECRET")))
        expect(inOneLine(kept)).toMatch(/^Settings: DATA_DIR: Cannot write to the folder [^\n,]+: E(EXIST|NOTDIR): /)
        expect((yield* settingsOf({ ...given, DATA_DIR })).dataDir).toBe(DATA_DIR)
      }
    })
  )

  it.live("accept other spellings than the usual ones", () =>
    Effect.gen(function* () {
      const settings = yield* settingsOf({
        ...given,
        DATABASE_URL: "postgresql://user:p%2Fw@db.example/casework?sslmode=require",
        BASE_URL: "https://casework.example/desk/",
        CORS_ORIGINS: "https://Desk.example/, http://localhost:5173,https://other.example:443, *, null",
        MAIL_FROM: "service@casework.example",
        RATE_LIMIT: "0",
        HUB_LIMIT: "1"
      })
      expect(settings).toMatchObject({
        baseUrl: "https://casework.example/desk",
        corsOrigins: ["https://desk.example", "http://localhost:5173", "https://other.example", "*", "null"],
        mailFrom: "service@casework.example",
        rateLimits: { caller: Option.none(), address: Option.some(6000) },
        hubLimits: { customer: Option.some(1), address: Option.some(1000), messages: Option.some(120) }
      })
      for (const at of ["", "user:word@"]) {
        const socket = `postgres://${at}/casework?host=/var/run/postgresql`
        const { databaseUrl } = yield* settingsOf({ ...given, DATABASE_URL: socket })
        expect(Option.map(databaseUrl, Redacted.value)).toEqual(Option.some(socket))
      }
      expect((yield* settingsOf({ ...given, MAIL_FROM: "" })).mailFrom).toBe("Casework <no-reply@localhost>")
    })
  )

  it.live("keep SMTP_URL as it is given, and have none when it is empty", () =>
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
        Effect.map(settingsOf({ ...given, BLOB_STORE }), ({ blobLocation }) => blobLocation)
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

  it.live("have defaults, also when they are set but empty", () =>
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
          trustedProxies: 0,
          corsOrigins: [],
          aiProvider: "openai"
        })
      }
    })
  )

  it.live("use the AI sandbox on the embedded database, unless AI_PROVIDER says otherwise", () =>
    Effect.gen(function* () {
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

  it.scopedLive("create the secrets once on the embedded database, readable by the owner alone", () =>
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
      expect(all[0]).toMatchObject({ demo: true, blobLocation: { _tag: "Folder" } })
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
