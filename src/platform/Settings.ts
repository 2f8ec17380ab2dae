import { Config, ConfigError, Context, Effect, Either, Layer, Option, Redacted } from "effect"
import { keptSecret } from "./KeptSecrets.ts"
import { type AllowedHost, parseOutboundAllow } from "./OutboundAllow.ts"

/** Everything that comes from the environment, read once at the start. */
export class Settings extends Context.Tag("casework/Settings")<
  Settings,
  {
    readonly host: string
    readonly port: number
    readonly baseUrl: string
    readonly databaseUrl: Option.Option<Redacted.Redacted>
    readonly dataDir: string
    readonly demo: boolean
    readonly jwtSecrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
    readonly secretsKeys: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
    readonly platformKey: Option.Option<Redacted.Redacted>
    readonly smtpUrl: Option.Option<Redacted.Redacted>
    readonly mailFrom: string
    readonly loginLocalhost: boolean
    readonly trustProxy: boolean
    readonly corsOrigins: ReadonlyArray<string>
    readonly outboundAllow: ReadonlyArray<AllowedHost>
  }
>() {
  static readonly layer = Layer.effect(
    Settings,
    Effect.suspend(() => load)
  )
}

const text = (name: string) => Config.option(Config.nonEmptyString(name))

const secret = (name: string) => Config.option(Config.redacted(Config.nonEmptyString(name)))

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false
}

/** As everywhere else here, set but empty is as unset. */
const flag = (name: string, fallback: boolean) =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((value) =>
      Either.fromNullable(words[value.trim().toLowerCase()], () =>
        ConfigError.InvalidData([name], `Expected true or false but received "${value}"`)
      )
    ),
    Config.withDefault(fallback)
  )

const url = (name: string) =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((value) =>
      URL.canParse(value) && /^https?:/.test(value)
        ? Either.right(value.replace(/\/+$/, ""))
        : Either.left(ConfigError.InvalidData([name], `Expected an http or https address but received "${value}"`))
    ),
    Config.option
  )

/** 0 lets the system choose. */
const portNumber = Config.nonEmptyString("PORT").pipe(
  Config.mapOrFail((value) =>
    /^\d{1,5}$/.test(value.trim()) && Number(value) < 65_536
      ? Either.right(Number(value))
      : Either.left(ConfigError.InvalidData(["PORT"], `Expected a number from 0 to 65535 but received "${value}"`))
  ),
  Config.withDefault(3000)
)

const outboundAllow = Config.nonEmptyString("OUTBOUND_ALLOW").pipe(
  Config.withDefault(""),
  Config.mapOrFail((list) =>
    Either.mapLeft(parseOutboundAllow(list), (entry) =>
      ConfigError.InvalidData(
        ["OUTBOUND_ALLOW"],
        `Expected hosts or host:port, comma-separated, but received "${entry}"`
      )
    )
  )
)

const shortestSecret = 16

/** A list of secrets, comma-separated; without a database address one is made and kept in the data folder. */
const secrets = (name: string, embedded: boolean, dataDir: string) =>
  Effect.gen(function* () {
    const given = yield* secret(name)
    if (Option.isNone(given) && !embedded) {
      return yield* Effect.fail(
        ConfigError.MissingData([name], `${name} must be set when DATABASE_URL is set (any long random text)`)
      )
    }
    const value = Option.isSome(given) ? Redacted.value(given.value) : yield* keptSecret(dataDir, name)
    const [first, ...rest] = value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
    if (first === undefined || [first, ...rest].some((part) => part.length < shortestSecret)) {
      return yield* Effect.fail(
        ConfigError.InvalidData([name], `each secret needs at least ${shortestSecret} characters`)
      )
    }
    return [Redacted.make(first), ...rest.map((part) => Redacted.make(part))] as const
  })

const load = Effect.gen(function* () {
  const databaseUrl = yield* secret("DATABASE_URL")
  const embedded = Option.isNone(databaseUrl)
  const dataDir = yield* Config.nonEmptyString("DATA_DIR").pipe(Config.withDefault("./data"))
  const port = yield* portNumber
  return {
    host: yield* Config.nonEmptyString("HOST").pipe(Config.withDefault("0.0.0.0")),
    port,
    baseUrl: Option.getOrElse(yield* url("BASE_URL"), () => `http://localhost:${port}`),
    databaseUrl,
    dataDir,
    demo: yield* flag("DEMO", embedded),
    jwtSecrets: yield* secrets("JWT_SECRET", embedded, dataDir),
    secretsKeys: yield* secrets("SECRETS_KEY", embedded, dataDir),
    platformKey: yield* secret("PLATFORM_KEY"),
    smtpUrl: yield* secret("SMTP_URL"),
    mailFrom: yield* Config.nonEmptyString("MAIL_FROM").pipe(Config.withDefault("Casework <no-reply@localhost>")),
    loginLocalhost: yield* flag("LOGIN_LOCALHOST", true),
    trustProxy: yield* flag("TRUST_PROXY", false),
    corsOrigins: Option.match(yield* text("CORS_ORIGINS"), {
      onNone: () => [],
      onSome: (list) =>
        list
          .split(",")
          .map((origin) => origin.trim())
          .filter((origin) => origin !== "")
    }),
    outboundAllow: yield* outboundAllow
  }
})
