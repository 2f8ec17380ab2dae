import { createServer, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { Context, Effect, Layer } from "effect"
import { listening } from "./Listening.ts"

export interface TextMessage {
  readonly sid: string
  readonly from: string
  readonly to: string
  readonly body: string
  readonly date_created: string
}

/**
 * What the server does with one attempt to send: accepts it, refuses it, accepts it and disconnects, accepts it and
 * responds late, responds that it failed, or never responds.
 */
export type Reaction =
  | "take"
  | "lose"
  | "late"
  | "fail"
  | "hang"
  | { readonly status: number; readonly message: string }

/** What it reports later about an accepted message; "break" disconnects without a response. */
export type Fate =
  | "break"
  | { readonly status: string; readonly error_code?: number | null; readonly error_message?: string | null }

const answer = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

/** The message API of a phone provider on this machine, for one account. */
export class TelephonyServer extends Context.Tag("test/TelephonyServer")<
  TelephonyServer,
  {
    readonly url: string
    /** Sets its reactions to the next attempts to send, in order; it accepts all later ones. */
    readonly react: (...reactions: ReadonlyArray<Reaction>) => Effect.Effect<void>
    /** The messages accepted for a number, oldest first. */
    readonly taken: (to: string) => Effect.Effect<ReadonlyArray<TextMessage>>
    /** Sets what becomes of the messages to a number; by default they are delivered. */
    readonly comesTo: (to: string, fate: Fate) => Effect.Effect<void>
    /** How often it was asked about the messages to a number. */
    readonly asked: (to: string) => Effect.Effect<number>
    /** The attempts to send so far, whatever their outcome. */
    readonly attempts: Effect.Effect<number>
    /** Dates everything accepted so far back by a day. */
    readonly dayPasses: Effect.Effect<void>
  }
>() {
  static readonly account = { accountSID: "ACdemo0000acme", authToken: "a-telephony-token" }
  static readonly layer = Layer.scoped(
    TelephonyServer,
    Effect.suspend(() => make)
  )
}

const { accountSID, authToken } = TelephonyServer.account
const credentials = `Basic ${Buffer.from(`${accountSID}:${authToken}`).toString("base64")}`
const path = `/2010-04-01/Accounts/${accountSID}/Messages.json`
const pathOfOne = new RegExp(`^/2010-04-01/Accounts/${accountSID}/Messages/(\\w+)\\.json$`)

const make = Effect.gen(function* () {
  const taken: Array<TextMessage> = []
  const reactions: Array<Reaction> = []
  const fates = new Map<string, Fate>()
  const asked: Array<string> = []
  let attempts = 0

  const take = (form: URLSearchParams) => {
    const [from, to, body] = [form.get("From") ?? "", form.get("To") ?? "", form.get("Body") ?? ""]
    const sid = `SM${taken.length + 1}`
    taken.push({ sid, from, to, body, date_created: new Date().toUTCString() })
    return sid
  }
  const onSend = (response: ServerResponse, form: URLSearchParams) => {
    attempts += 1
    const reaction = reactions.shift() ?? "take"
    if (reaction === "hang") return
    if (typeof reaction === "object") return void answer(response, reaction.status, { message: reaction.message })
    if (reaction === "fail") {
      return void answer(response, 201, { sid: "SM0", status: "failed", error_message: "Outside the window" })
    }
    const sid = take(form)
    if (reaction === "lose") return void response.destroy()
    const say = () => answer(response, 201, { sid, status: "queued" })
    if (reaction === "late") setTimeout(say, 2_000)
    else say()
  }
  const onList = (response: ServerResponse, query: URLSearchParams) => {
    const messages = taken
      .filter(({ from, to }) => from === query.get("From") && to === query.get("To"))
      .toReversed()
      .slice(0, Number(query.get("PageSize") ?? 50))
    answer(response, 200, { messages })
  }
  const onAsk = (response: ServerResponse, sid: string) => {
    const message = taken.find((one) => one.sid === sid)
    if (message === undefined) return void answer(response, 404, { message: "No such message" })
    asked.push(message.to)
    const fate = fates.get(message.to) ?? { status: "delivered" }
    if (fate === "break") return void response.destroy()
    answer(response, 200, { ...message, error_code: null, error_message: null, ...fate })
  }
  const server = createServer({ keepAlive: false }, async (request, response) => {
    const url = new URL(request.url ?? "", "http://provider")
    const text = (await buffer(request)).toString("utf8")
    if (request.headers.authorization !== credentials) return void answer(response, 401, { message: "Authenticate" })
    const one = request.method === "GET" ? pathOfOne.exec(url.pathname)?.[1] : undefined
    if (one !== undefined) return onAsk(response, one)
    if (url.pathname !== path) return void answer(response, 404, { message: "No such resource" })
    if (request.method === "GET") return onList(response, url.searchParams)
    if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) {
      return void answer(response, 415, { message: "Unsupported media type" })
    }
    onSend(response, new URLSearchParams(text))
  })
  const port = yield* listening(server, () => server.closeAllConnections())
  return TelephonyServer.of({
    url: `http://127.0.0.1:${port}`,
    react: (...next) => Effect.sync(() => void reactions.splice(0, reactions.length, ...next)),
    taken: (to) => Effect.sync(() => taken.filter((message) => message.to === to)),
    comesTo: (to, fate) => Effect.sync(() => void fates.set(to, fate)),
    asked: (to) => Effect.sync(() => asked.filter((one) => one === to).length),
    attempts: Effect.sync(() => attempts),
    dayPasses: Effect.sync(() => {
      const older = taken.map((message) => ({
        ...message,
        date_created: new Date(Date.parse(message.date_created) - 86_400_000).toUTCString()
      }))
      taken.splice(0, taken.length, ...older)
    })
  })
})
