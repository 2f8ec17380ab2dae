import { Config, ConfigError, Context, Effect, Either, Layer, Option, Redacted } from "effect"
import { type AllowedHost, parseOutboundAllow } from "../outbound/OutboundAllow.ts"
import { type BlobLocation, parseBlobLocation } from "./BlobLocation.ts"
import { parseCorsOrigins } from "./CorsOrigins.ts"
import { checkWritable } from "./DataFolder.ts"
import { keptSecret } from "./KeptSecrets.ts"
import { parseOtlpHeaders } from "./OtlpHeaders.ts"
import {
  flag,
  limit,
  port,
  readFlag,
  secret,
  secretUrl,
  setting,
  text,
  url,
  wholeNumber,
  word
} from "./SettingValues.ts"

/**
 * The AI provider of customers without a key of their own: with openai they have none, with sandbox the built-in one.
 */
type AiProviderName = "openai" | "sandbox"

/** Requests per minute on this node, of one caller or of one address without a valid token. None: no limit. */
export interface RateLimits {
  readonly caller: Option.Option<number>
  readonly address: Option.Option<number>
}

/** The hub on this node. None: no limit. */
export interface HubLimits {
  /** Open connections of one customer. */
  readonly customer: Option.Option<number>
  /** Open connections of one address. */
  readonly address: Option.Option<number>
  /** What the chat visitors at one address may send in a minute. */
  readonly messages: Option.Option<number>
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
    readonly blobLocation: BlobLocation
    readonly docxTemplate: Option.Option<string>
    readonly jwtSecrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
    readonly secretsKeys: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
    readonly platformKey: Option.Option<Redacted.Redacted>
    readonly smtpUrl: Option.Option<Redacted.Redacted>
    readonly mailFrom: string
    readonly telephonyBaseUrl: string
    readonly graphBaseUrl: string
    /** web: handles requests and leaves background work to other nodes; worker: the other way round. */
    readonly role: "all" | "web" | "worker"
    /** How long the service keeps responding after it was told to stop, so that load balancers notice. */
    readonly drainSeconds: number
    readonly rateLimits: RateLimits
    readonly hubLimits: HubLimits
    readonly loginLocalhost: boolean
    /** How many proxies are in front, each of which reports the address of its client. */
    readonly trustedProxies: number
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

const outboundAllow = setting("OUTBOUND_ALLOW", (list) =>
  Either.mapLeft(
    parseOutboundAllow(list),
    (entry) => `Expected hosts or host:port, comma-separated, but received "${entry}"`
  )
).pipe(Config.withDefault([]))

const corsOrigins = setting("CORS_ORIGINS", (list) =>
  Either.mapLeft(
    parseCorsOrigins(list),
    (entry) => `Expected origins such as https://desk.example, comma-separated, but received "${entry}"`
  )
).pipe(Config.withDefault([]))

const mostProxies = 9

/** `true` stands for one proxy, the usual number. */
const trustedProxies = setting("TRUST_PROXY", (value) => {
  const spelled = value.trim().toLowerCase()
  if (/^\d$/.test(spelled)) return Either.right(Number(spelled))
  return Either.mapBoth(readFlag(spelled), {
    onLeft: () => `Expected true, false or the number of proxies, up to ${mostProxies}, but received "${value}"`,
    onRight: Number
  })
}).pipe(Config.withDefault(0))

const mailFrom = setting("MAIL_FROM", (value) =>
  /^(?:[^\s@<>]+@[^\s@<>]+|[^<>]*<[^\s@<>]+@[^\s@<>]+>)$/.test(value.trim())
    ? Either.right(value)
    : Either.left(`Expected an address such as Casework <no-reply@desk.example> but received "${value}"`)
).pipe(Config.withDefault("Casework <no-reply@localhost>"))

const otlpHeaders = setting("OTEL_EXPORTER_OTLP_HEADERS", (list) =>
  Either.map(parseOtlpHeaders(list), Redacted.make)
).pipe(Config.option)

/** The embedded database belongs to one process: unless that does everything, no process would do the work. */
const roleOn = (embedded: boolean) =>
  word("ROLE", ["all", "web", "worker"], "all").pipe(
    Config.mapOrFail((role) =>
      embedded && role !== "all"
        ? Either.left(
            ConfigError.InvalidData(
              ["ROLE"],
              `ROLE=${role} needs DATABASE_URL: the embedded database serves a single process, which does everything`
            )
          )
        : Either.right(role)
    )
  )

const shortestSecret = 16

/** A comma-separated list of secrets; with the embedded database, a missing one is made and kept in the data folder. */
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
  const databaseUrl = yield* secretUrl("DATABASE_URL", ["postgres", "postgresql"])
  const embedded = Option.isNone(databaseUrl)
  // Read before anything is written to the data folder: the operator may have forgotten to set DATABASE_URL.
  const role = yield* roleOn(embedded)
  const dataDir = yield* Config.nonEmptyString("DATA_DIR").pipe(Config.withDefault("./data"))
  const listenOn = yield* port
  const blobLocation = yield* setting("BLOB_STORE", parseBlobLocation).pipe(
    Config.withDefault<BlobLocation>({ _tag: embedded ? "Folder" : "Postgres" })
  )
  if (embedded) yield* checkWritable(dataDir)
  return {
    host: yield* Config.nonEmptyString("HOST").pipe(Config.withDefault("0.0.0.0")),
    port: listenOn,
    baseUrl: Option.getOrElse(yield* url("BASE_URL"), () => `http://localhost:${listenOn}`),
    databaseUrl,
    dataDir,
    demo: yield* flag("DEMO", embedded),
    blobLocation,
    docxTemplate: yield* text("DOCX_TEMPLATE"),
    jwtSecrets: yield* secrets("JWT_SECRET", embedded, dataDir),
    secretsKeys: yield* secrets("SECRETS_KEY", embedded, dataDir),
    platformKey: yield* secret("PLATFORM_KEY"),
    smtpUrl: yield* secretUrl("SMTP_URL", ["smtp", "smtps"]),
    mailFrom: yield* mailFrom,
    graphBaseUrl: Option.getOrElse(yield* url("GRAPH_BASE_URL"), () => "https://graph.microsoft.com/v1.0"),
    telephonyBaseUrl: Option.getOrElse(yield* url("TELEPHONY_BASE_URL"), () => "https://api.twilio.com"),
    loginLocalhost: yield* flag("LOGIN_LOCALHOST", true),
    trustedProxies: yield* trustedProxies,
    corsOrigins: yield* corsOrigins,
    outboundAllow: yield* outboundAllow,
    aiProvider: yield* word("AI_PROVIDER", ["openai", "sandbox"], embedded ? "sandbox" : "openai"),
    role,
    drainSeconds: yield* wholeNumber("DRAIN_SECONDS", 600, 0),
    rateLimits: { caller: yield* limit("RATE_LIMIT", 6000), address: yield* limit("RATE_LIMIT_ADDRESS", 6000) },
    hubLimits: {
      customer: yield* limit("HUB_LIMIT", 10_000),
      address: yield* limit("HUB_LIMIT_ADDRESS", 1000),
      messages: yield* limit("HUB_LIMIT_MESSAGES", 120)
    },
    openAiBaseUrl: yield* url("OPENAI_BASE_URL"),
    otlpEndpoint: yield* url("OTEL_EXPORTER_OTLP_ENDPOINT"),
    otlpHeaders: yield* otlpHeaders,
    metricsToken: yield* secret("METRICS_TOKEN")
  }
})
