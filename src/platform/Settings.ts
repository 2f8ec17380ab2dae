import { Config, ConfigError, Context, Effect, Either, Layer, Option, Redacted } from "effect"
import { type BlobPlace, parseBlobPlace } from "./BlobPlace.ts"
import { keptSecret } from "./KeptSecrets.ts"
import { parseOtlpHeaders } from "./OtlpHeaders.ts"
import { type AllowedHost, parseOutboundAllow } from "./OutboundAllow.ts"

/** Who answers for a customer without an AI key of its own: nobody, or the sandbox. */
export type AiProviderName = "openai" | "sandbox"

/** Requests a minute on this node: of one caller, and of one address without a good token. None: no limit. */
export interface RateLimits {
  readonly caller: Option.Option<number>
  readonly address: Option.Option<number>
}

/** Open connections to the hub on this node: of one customer, and of one address. None: no limit. */
export interface HubLimits {
  readonly customer: Option.Option<number>
  readonly address: Option.Option<number>
}

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
    readonly blobPlace: BlobPlace
    readonly docxTemplate: Option.Option<string>
    readonly jwtSecrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
    readonly secretsKeys: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
    readonly platformKey: Option.Option<Redacted.Redacted>
    readonly smtpUrl: Option.Option<Redacted.Redacted>
    readonly mailFrom: string
    readonly telephonyBaseUrl: string
    readonly graphBaseUrl: string
    /** web: answers requests and leaves the work behind them to other nodes; worker: the other way round. */
    readonly role: "all" | "web" | "worker"
    /** How long it still answers after it was told to stop, so that load balancers notice. */
    readonly drainSeconds: number
    readonly rateLimits: RateLimits
    readonly hubLimits: HubLimits
    readonly loginLocalhost: boolean
    readonly trustProxy: boolean
    readonly corsOrigins: ReadonlyArray<string>
    readonly outboundAllow: ReadonlyArray<AllowedHost>
    readonly aiProvider: AiProviderName
    readonly openAiBaseUrl: Option.Option<string>
    readonly otlpEndpoint: Option.Option<string>
    readonly otlpHeaders: Option.Option<Redacted.Redacted<Readonly<Record<string, string>>>>
    readonly metricsToken: Option.Option<Redacted.Redacted>
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

const isSmtpUrl = (value: string) => {
  if (!URL.canParse(value)) return false
  const { hostname, protocol } = new URL(value)
  return /^smtps?:$/.test(protocol) && hostname !== ""
}

/** It holds a password, so what is wrong with it is said without repeating it. */
const smtpUrl = Config.nonEmptyString("SMTP_URL").pipe(
  Config.mapOrFail((value) =>
    isSmtpUrl(value)
      ? Either.right(Redacted.make(value))
      : Either.left(
          ConfigError.InvalidData(
            ["SMTP_URL"],
            "Expected smtp:// or smtps:// and a host; in a password /, ? and # are written %2F, %3F and %23"
          )
        )
  ),
  Config.option
)

const numberUpTo = (name: string, most: number, value: string) =>
  /^\d{1,9}$/.test(value.trim()) && Number(value) <= most
    ? Either.right(Number(value))
    : Either.left(ConfigError.InvalidData([name], `Expected a number from 0 to ${most} but received "${value}"`))

const wholeNumber = (name: string, most: number, fallback: number) =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((value) => numberUpTo(name, most, value)),
    Config.withDefault(fallback)
  )

/** How much of something is allowed; off is no limit. */
const limit = (name: string, fallback: number) =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((value) =>
      words[value.trim().toLowerCase()] === false
        ? Either.right(Option.none<number>())
        : Either.map(numberUpTo(name, 1_000_000, value), Option.some)
    ),
    Config.withDefault(Option.some(fallback))
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

const otlpHeaders = Config.nonEmptyString("OTEL_EXPORTER_OTLP_HEADERS").pipe(
  Config.mapOrFail((text) =>
    Either.mapBoth(parseOtlpHeaders(text), {
      onLeft: (problem) => ConfigError.InvalidData(["OTEL_EXPORTER_OTLP_HEADERS"], problem),
      onRight: Redacted.make
    })
  ),
  Config.option
)

const blobPlace = (embedded: boolean) =>
  Config.nonEmptyString("BLOB_STORE").pipe(
    Config.withDefault(embedded ? "folder" : "postgres"),
    Config.mapOrFail((value) =>
      Either.mapLeft(parseBlobPlace(value), (problem) => ConfigError.InvalidData(["BLOB_STORE"], problem))
    )
  )

/** One of a few words, in any case. */
const word = <const Words extends ReadonlyArray<string>>(name: string, words: Words, fallback: Words[number]) =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((value) =>
      Either.fromNullable(
        words.find((candidate): candidate is Words[number] => candidate === value.trim().toLowerCase()),
        () => ConfigError.InvalidData([name], `Expected ${words.join(" or ")} but received "${value}"`)
      )
    ),
    Config.withDefault(fallback)
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
  // 0 lets the system choose.
  const port = yield* wholeNumber("PORT", 65_535, 3000)
  return {
    host: yield* Config.nonEmptyString("HOST").pipe(Config.withDefault("0.0.0.0")),
    port,
    baseUrl: Option.getOrElse(yield* url("BASE_URL"), () => `http://localhost:${port}`),
    databaseUrl,
    dataDir,
    demo: yield* flag("DEMO", embedded),
    blobPlace: yield* blobPlace(embedded),
    docxTemplate: yield* text("DOCX_TEMPLATE"),
    jwtSecrets: yield* secrets("JWT_SECRET", embedded, dataDir),
    secretsKeys: yield* secrets("SECRETS_KEY", embedded, dataDir),
    platformKey: yield* secret("PLATFORM_KEY"),
    smtpUrl: yield* smtpUrl,
    mailFrom: yield* Config.nonEmptyString("MAIL_FROM").pipe(Config.withDefault("Casework <no-reply@localhost>")),
    graphBaseUrl: Option.getOrElse(yield* url("GRAPH_BASE_URL"), () => "https://graph.microsoft.com/v1.0"),
    telephonyBaseUrl: Option.getOrElse(yield* url("TELEPHONY_BASE_URL"), () => "https://api.twilio.com"),
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
    outboundAllow: yield* outboundAllow,
    aiProvider: yield* word("AI_PROVIDER", ["openai", "sandbox"], embedded ? "sandbox" : "openai"),
    role: yield* word("ROLE", ["all", "web", "worker"], "all"),
    drainSeconds: yield* wholeNumber("DRAIN_SECONDS", 600, 0),
    rateLimits: { caller: yield* limit("RATE_LIMIT", 6000), address: yield* limit("RATE_LIMIT_ADDRESS", 6000) },
    hubLimits: { customer: yield* limit("HUB_LIMIT", 10_000), address: yield* limit("HUB_LIMIT_ADDRESS", 1000) },
    openAiBaseUrl: yield* url("OPENAI_BASE_URL"),
    otlpEndpoint: yield* url("OTEL_EXPORTER_OTLP_ENDPOINT"),
    otlpHeaders: yield* otlpHeaders,
    metricsToken: yield* secret("METRICS_TOKEN")
  }
})
