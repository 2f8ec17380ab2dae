import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest, HttpServer } from "@effect/platform"
import { ConfigProvider, Duration, Effect, FiberRef, Layer, Logger, LogLevel, Schema } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Token } from "../../schema/Auth.ts"
import { ApiError } from "../../schema/Errors.ts"
import { AppLive } from "../../src/App.ts"
import { Reactions } from "../../src/events/EventHooks.ts"
import { BlobStoreLive } from "../../src/files/BlobStoreLive.ts"
import { RemovalTiming } from "../../src/files/BlobSweep.ts"
import type { Database } from "../../src/platform/database/Database.ts"
import { StopWork } from "../../src/platform/queue/Jobs.ts"
import { withItsKey } from "../../src/platform/secrets/SecretsSeal.ts"
import { Settings } from "../../src/platform/settings/Settings.ts"
import { TelemetryLive } from "../../src/platform/telemetry/Telemetry.ts"
import { ServerLive } from "../../src/Server.ts"
import { StatementAudit } from "./StatementAudit.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { TestMailer } from "./TestMailer.ts"

const settings = {
  PORT: "0",
  HOST: "127.0.0.1",
  DATABASE_URL: "postgres://given-by-the-test-database",
  BASE_URL: "https://casework.example",
  JWT_SECRET: "test-jwt-secret-of-enough-length",
  SECRETS_KEY: "test-secrets-key-of-enough-length",
  PLATFORM_KEY: "test-platform-key",
  METRICS_TOKEN: "test-metrics-token",
  TRUST_PROXY: "true",
  AI_PROVIDER: "sandbox",
  RATE_LIMIT: "off",
  RATE_LIMIT_ADDRESS: "off",
  HUB_LIMIT_MESSAGES: "off"
}

export const settingsLayer = (overrides: Readonly<Record<string, string>> = {}) =>
  Settings.layer.pipe(
    Layer.provide(
      Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ ...settings, ...overrides }))))
    )
  )

/** One node of the service on a random port; several can share a database layer. */
export const testNode = <E, R>(
  database: Layer.Layer<Database, E, R>,
  overrides: Readonly<Record<string, string>> = {},
  logging: Layer.Layer<never> = Logger.minimumLogLevel(LogLevel.None),
  stopWork = { within: Duration.zero }
) =>
  ServerLive.pipe(
    Layer.provideMerge(AppLive),
    Layer.provideMerge(TestMailer.layer),
    Layer.provideMerge(BlobStoreLive),
    Layer.provide(StatementAudit),
    Layer.provide(Layer.succeed(StopWork, stopWork)),
    Layer.provide(Layer.succeed(RemovalTiming, { after: Duration.zero })),
    Layer.provideMerge(withItsKey(database)),
    Layer.provide(TelemetryLive),
    Layer.provideMerge(settingsLayer(overrides)),
    Layer.provide(logging)
  )

/** The whole service with its own database, used over HTTP as a client would. */
export const testApp = (overrides: Readonly<Record<string, string>> = {}) => testNode(TestDatabase, overrides)

/** The same without automation, for tests that look only at what would trigger it. */
export const quietApp = (overrides: Readonly<Record<string, string>> = {}) =>
  testApp(overrides).pipe(Layer.provide(Layer.succeed(Reactions, () => undefined)))

export const baseUrl = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : address.path
)

/** The server that the typed client calls, and its token. */
interface Target {
  readonly base: string
  readonly token: string | undefined
}

const target = FiberRef.unsafeMake<Target>({ base: "", token: undefined })

/** One for all apps: creating one takes longer than most tests. */
const anyClient = Effect.runSync(
  HttpApiClient.make(CaseworkApi, {
    transformClient: HttpClient.mapRequestEffect((request) =>
      Effect.map(FiberRef.get(target), ({ base, token }) => {
        const addressed = HttpClientRequest.prependUrl(request, base)
        return token === undefined ? addressed : HttpClientRequest.bearerToken(addressed, token)
      })
    )
  }).pipe(Effect.provide(FetchHttpClient.layer))
)

/** The same client with everything its functions do directed at one target. */
const aimed = <A extends object>(at: Target, of: A): A =>
  new Proxy(of, {
    get: (_, name) => {
      const value: unknown = Reflect.get(of, name)
      if (typeof value === "object" && value !== null) return aimed(at, value)
      if (typeof value !== "function") return value
      return (...given: ReadonlyArray<unknown>): unknown => {
        const made: unknown = Reflect.apply(value, of, given)
        return Effect.isEffect(made) ? Effect.locally(made, target, at) : made
      }
    }
  })

/** The typed client, derived from the API contract; with a token it acts as a representative. */
export const client = (token?: string) => Effect.map(baseUrl, (base) => aimed({ base, token }, anyClient))

export const login = (username: string, password = "Demo-Pass-1") =>
  Effect.gen(function* () {
    const body = { username, password, hostname: "localhost" }
    const { json, status } = yield* sendJson("POST", "/api/Auth/login", { body })
    if (status === 200) return (yield* Schema.decodeUnknown(Token)(json)).token
    return yield* Effect.fail(yield* Schema.decodeUnknown(ApiError)(json))
  })

/** Keyed by server: a port may be reused by a later server. */
const tokens = new WeakMap<HttpServer.HttpServer, Map<string, string>>()

/** A demo user's token. Each user logs in once per app, since checking a password is slow on purpose. */
export const tokenOf = (username: string) =>
  Effect.gen(function* () {
    const server = yield* HttpServer.HttpServer
    const known = tokens.get(server) ?? new Map<string, string>()
    tokens.set(server, known)
    const token = known.get(username) ?? (yield* login(username))
    known.set(username, token)
    return token
  })

/** The typed client acting as a demo user. */
export const clientOf = (username: string) => Effect.flatMap(tokenOf(username), client)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is not JSON. */
  readonly json: unknown
}

/** A header that a response must have; throws where it is missing. */
export const headerOf = ({ headers }: Pick<Answer, "headers">, name: string) => {
  const value = headers.get(name)
  if (value === null) throw new Error(`The response has no header ${name}`)
  return value
}

/** Sends a request exactly as given. */
export const send = (method: string, path: string, init: Omit<RequestInit, "method"> = {}) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async (signal): Promise<Answer> => {
      const response = await fetch(base + path, { method, redirect: "manual", signal, ...init })
      const text = await response.text()
      const isJson = response.headers.get("content-type")?.includes("json") === true
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson && text !== "" ? JSON.parse(text) : undefined
      }
    })
  )

export const sendJson = (
  method: string,
  path: string,
  options: {
    readonly token?: string
    readonly body?: unknown
    readonly headers?: Readonly<Record<string, string>>
  } = {}
) =>
  send(method, path, {
    headers: {
      ...(options.body !== undefined && { "content-type": "application/json" }),
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...options.headers
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) })
  })
