import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { Context, Effect, Layer } from "effect"
import { fieldsOf } from "./Fields.ts"
import { notify, notifyLifecycle } from "./GraphServerNotifications.ts"
import { type GraphAnswer, type GraphRequest, routes, upload } from "./GraphServerRoutes.ts"
import {
  GraphState,
  goodDay,
  type SimulatedMailbox,
  type StoredAttachment,
  type StoredMessage,
  type StoredSubscription,
  type Switches
} from "./GraphServerState.ts"
import { listening } from "./Listening.ts"

export interface Arriving {
  readonly fields: Readonly<Record<string, unknown>>
  readonly attachments?: ReadonlyArray<StoredAttachment>
  readonly folder?: string
}

/** A simulated Microsoft Graph with its token authority: a real HTTP server with real request and response shapes. */
export class GraphServer extends Context.Tag("test/GraphServer")<
  GraphServer,
  {
    readonly port: number
    /** The value for GRAPH_BASE_URL. */
    readonly graphUrl: string
    /** The value for mailProviderAuthorityURL. */
    readonly authorityUrl: string
    readonly state: GraphState
    /** Changes its behaviour from now on; without switches it behaves normally again. */
    readonly set: (switches?: Partial<Switches>) => Effect.Effect<void>
    readonly mailbox: (address: string) => SimulatedMailbox
    /**
     * Mails arrive in the inbox or another folder, and subscribers are notified. Returns the statuses of their
     * responses.
     */
    readonly arrive: (
      address: string,
      ...mails: ReadonlyArray<Arriving>
    ) => Effect.Effect<{ readonly messages: ReadonlyArray<StoredMessage>; readonly statuses: ReadonlyArray<number> }>
    readonly lifecycle: (
      subscription: StoredSubscription,
      event: "reauthorizationRequired" | "subscriptionRemoved" | "missed"
    ) => Effect.Effect<number>
    readonly subscriptions: Effect.Effect<ReadonlyArray<StoredSubscription>>
    /** Sets the address at which the service listens. */
    readonly serviceAt: (url: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    GraphServer,
    Effect.suspend(() => make)
  )
}

export const simulatedCredentials = { tenantID: "contoso", clientID: "casework", clientSecret: "simulated-secret" }

/** Another application that the authority knows, with the same secret. */
export const otherClientID = "somebody-else"

const parsed = (bytes: Buffer): Readonly<Record<string, unknown>> => {
  try {
    return fieldsOf(JSON.parse(bytes.toString("utf8")))
  } catch {
    return {}
  }
}

const giveToken = async (state: GraphState, path: string, body: string): Promise<GraphAnswer> => {
  state.tokenRequests += 1
  const { throttleTokens } = state.switches
  if (throttleTokens.requests > 0) {
    throttleTokens.requests -= 1
    return { status: 429, json: { error: "temporarily_unavailable" }, retryAfter: throttleTokens.retryAfter }
  }
  const form = new URLSearchParams(body)
  const { clientID, clientSecret, tenantID } = simulatedCredentials
  const isKnown =
    path === `/${tenantID}/oauth2/v2.0/token` &&
    form.get("grant_type") === "client_credentials" &&
    [clientID, otherClientID].includes(form.get("client_id") ?? "") &&
    form.get("client_secret") === clientSecret &&
    form.get("scope") !== null
  if (!isKnown) {
    await new Promise((resolve) => setTimeout(resolve, state.switches.strangersWait).unref())
    return {
      status: 401,
      json: {
        error: "invalid_client",
        error_description: "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: x"
      }
    }
  }
  const token = randomUUID()
  state.tokens.add(token)
  return { status: 200, json: { token_type: "Bearer", expires_in: state.tokenLifeSeconds, access_token: token } }
}

const refused = (status: number, code: string): GraphAnswer => ({ status, json: { error: { code, message: code } } })

/** The failure that the switches call for, if any. */
const mishap = (state: GraphState, headers: IncomingMessage["headers"]): GraphAnswer | undefined => {
  const { cut, fail, throttle, withdrawTokensAfter } = state.switches
  state.requests += 1
  if (withdrawTokensAfter > 0) {
    state.switches.withdrawTokensAfter -= 1
    if (withdrawTokensAfter === 1) state.tokens.clear()
  }
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? ""
  if (!state.tokens.has(token)) return refused(401, "InvalidAuthenticationToken")
  if (!String(headers["prefer"] ?? "").includes('IdType="ImmutableId"')) return refused(400, "ExpectedImmutableIds")
  if (throttle.requests > 0) {
    throttle.requests -= 1
    return { ...refused(429, "ApplicationThrottled"), retryAfter: throttle.retryAfter }
  }
  if (fail.requests > 0) {
    fail.requests -= 1
    return refused(fail.status, "ServiceUnavailable")
  }
  if (cut > 0) {
    state.switches.cut -= 1
    return { status: 200, cut: true }
  }
  return undefined
}

const make = Effect.gen(function* () {
  const state = new GraphState()
  const table = routes(state)

  const answer = async (request: IncomingMessage, origin: string): Promise<GraphAnswer> => {
    const url = new URL(request.url ?? "/", origin)
    const bytes = await buffer(request)
    const one: GraphRequest = {
      method: request.method ?? "",
      url,
      path: decodeURIComponent(url.pathname.replace(/^\/v1\.0/, "")),
      prefer: String(request.headers["prefer"] ?? ""),
      contentRange: String(request.headers["content-range"] ?? ""),
      bytes,
      json: parsed(bytes),
      origin
    }
    if (url.pathname.endsWith("/oauth2/v2.0/token")) return giveToken(state, url.pathname, bytes.toString("utf8"))
    const [, session] = /^\/upload\/(.+)$/.exec(url.pathname) ?? []
    if (session !== undefined) {
      return request.headers.authorization === undefined ? upload(state, session, one) : refused(400, "TokenOnUpload")
    }
    const trouble = mishap(state, request.headers)
    if (trouble !== undefined) return trouble
    const { failPath, failPathRetryAfter } = state.switches
    if (failPath !== null && one.path.includes(failPath)) {
      const failure = refused(500, "ErrorInternalServerError")
      return failPathRetryAfter === null ? failure : { ...failure, retryAfter: failPathRetryAfter }
    }
    const [, address] = /^\/users\/([^/]+)/.exec(one.path) ?? []
    if (address !== undefined && state.mailbox(address).isAway) return refused(404, "ErrorInvalidUser")
    for (const [method, pattern, handle] of table) {
      const match = method === one.method ? pattern.exec(one.path) : null
      if (match !== null) return handle(one, ...match.slice(1))
    }
    return refused(404, "ResourceNotFound")
  }

  /** Sends one byte at a time, and the rest once `isOver`. */
  const drip = (response: ServerResponse, bytes: Buffer, isOver: () => boolean) => {
    const timer = setInterval(() => {
      if (!isOver()) return response.write("x")
      clearInterval(timer)
      return response.end(bytes)
    }, 100)
    response.once("close", () => clearInterval(timer))
  }

  const isDripping = (path: string) => {
    const { dripPath } = state.switches
    return dripPath !== null && path.includes(dripPath)
  }

  const isHeld = (path: string) => {
    const { holdPath } = state.switches
    return holdPath !== null && path.includes(holdPath)
  }

  const respond = (response: ServerResponse, path: string, answered: GraphAnswer) => {
    const { bytes, cut, json, retryAfter, status } = answered
    if (cut === true) return response.destroy()
    if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter)
    if (bytes !== undefined) {
      response.writeHead(status, { "content-type": "application/octet-stream" })
      return isDripping(path) ? drip(response, bytes, () => !isDripping(path)) : response.end(bytes)
    }
    return json === undefined
      ? response.writeHead(status).end()
      : response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json))
  }

  const server = createServer(async (request, response) => {
    const [, address] = /\/users\/([^/?]+)/.exec(request.url ?? "") ?? []
    const mailbox = address === undefined ? undefined : state.mailbox(decodeURIComponent(address))
    if (mailbox !== undefined) {
      mailbox.atOnce += 1
      mailbox.mostAtOnce = Math.max(mailbox.mostAtOnce, mailbox.atOnce)
    }
    if (state.switches.latency > 0) await new Promise((resolve) => setTimeout(resolve, state.switches.latency).unref())
    while (isHeld(request.url ?? "")) {
      state.hasHeld = true
      await new Promise((resolve) => setTimeout(resolve, 20).unref())
    }
    // The service that it calls back may be dead.
    const result = await answer(request, `http://${request.headers.host}`).catch(() => refused(400, "ValidationError"))
    if (mailbox !== undefined) mailbox.atOnce -= 1
    state.seen.push({ method: request.method ?? "", path: request.url ?? "", status: result.status })
    respond(response, request.url ?? "", result)
  })
  const port = yield* listening(server, () => server.closeAllConnections())

  return GraphServer.of({
    port,
    graphUrl: `http://127.0.0.1:${port}/v1.0`,
    authorityUrl: `http://127.0.0.1:${port}`,
    state,
    set: (switches = {}) =>
      Effect.sync(() => {
        state.switches = { ...goodDay(), ...switches }
        state.hasHeld = false
      }),
    mailbox: (name) => state.mailbox(name),
    arrive: (name, ...mails) =>
      Effect.promise(async () => {
        const mailbox = state.mailbox(name)
        const messages = mails.map(({ attachments = [], fields, folder = "inbox" }) =>
          mailbox.add(mailbox.folder(folder)?.id ?? folder, fields, attachments)
        )
        return { messages, statuses: await notify(state, name, messages) }
      }),
    lifecycle: (subscription, event) => Effect.promise(() => notifyLifecycle(state, subscription, event)),
    subscriptions: Effect.sync(() => [...state.subscriptions.values()]),
    serviceAt: (url) =>
      Effect.sync(() => {
        state.serviceUrl = url
      })
  })
})
