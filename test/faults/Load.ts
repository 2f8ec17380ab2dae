import { randomUUID } from "node:crypto"
import { Effect, Fiber } from "effect"
import { channelIn, numberIn, textIn } from "../support/Fields.ts"
import { TelephonyServer } from "../support/TelephonyServer.ts"
import { type ApiAnswer, ask, login, must } from "./Api.ts"
import type { Outside } from "./Outside.ts"

/** One thing that a user of the service wants done: a message comes in, and is answered. */
export interface Case {
  readonly marker: string
  readonly number: string
  /** Set once the message is acknowledged; until then it may be stored or not. */
  messageID: number | undefined
  isAnswered: boolean
}

export interface Tally {
  /** Statuses of all responses; 0 is a connection that broke or was refused. */
  readonly statuses: Map<number, number>
  readonly longestMs: number
}

/** Configures a customer so that every message causes a call, a mail and, once answered, a WhatsApp message. */
export const prepareCompany = (base: string, outside: Outside) =>
  Effect.gen(function* () {
    const token = yield* login(base)
    yield* must(base, "PUT", "/api/Customers/me", {
      token,
      body: {
        telephonyAccountSID: TelephonyServer.account.accountSID,
        telephonyAuthToken: TelephonyServer.account.authToken
      }
    })
    const document = yield* must(base, "POST", "/api/Documents", {
      token,
      body: {
        name: "Order",
        isDataRetrievalProcess: true,
        overrideApiBaseUrl: outside.upstream.url,
        overrideApiAuthenticationType: "None",
        apiEndpoint: "/orders",
        apiMethod: "POST",
        apiBodyTemplate: "{{Message.text}}"
      }
    })
    const steps = [
      { operation: "CallApi", parameters: { documentID: numberIn(document, "documentID"), field: "order" } },
      { operation: "NotifyEmail", parameters: { to: "operations@acme.example" } }
    ]
    for (const [index, step] of steps.entries()) {
      const action = yield* must(base, "POST", "/api/Actions", {
        token,
        body: { name: `Fault ${step.operation}`, priority: 1, isActive: true, ...step }
      })
      yield* must(base, "POST", "/api/hookactions", {
        token,
        body: { hookName: "OnMessageReceived", actionID: numberIn(action, "actionID"), priority: 100 - index }
      })
    }
    const channels = yield* must(base, "GET", "/api/Channels", { token })
    return { channelID: numberIn(channelIn(channels, "WhatsApp"), "channelID") }
  })

export type Company = Effect.Effect.Success<ReturnType<typeof prepareCompany>>

let count = 0

const newCase = (): Case => {
  count += 1
  return {
    marker: `case ${randomUUID()}`,
    number: `+49151${String(count).padStart(7, "0")}`,
    messageID: undefined,
    isAnswered: false
  }
}

export interface Target {
  /** The node that gets the next request, as a load balancer would choose it. */
  readonly next: () => string
  readonly company: Company
}

/** Keeps so many users busy until it is told to end; each sends a request again, under its key, until it is answered. */
export const startLoad = ({ company, next }: Target, users = 4, answers = true) =>
  Effect.gen(function* () {
    const cases: Array<Case> = []
    const statuses = new Map<number, number>()
    let [isOver, token, longestMs] = [false, "", 0]

    const noted = (request: Effect.Effect<ApiAnswer>) =>
      Effect.gen(function* () {
        const started = Date.now()
        const answer = yield* request
        longestMs = Math.max(longestMs, Date.now() - started)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        return answer
      })

    const renewToken = (base: string) =>
      Effect.gen(function* () {
        const body = { username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" }
        const answer = yield* ask(base, "POST", "/api/Auth/login", { body })
        if (answer.status === 200) token = textIn(answer.json, "token")
      })

    /** Repeats a request until it is acknowledged, or the load is over. */
    const insist = (path: string, body: unknown, key: string) =>
      Effect.gen(function* () {
        while (!isOver) {
          const base = next()
          const answer = yield* noted(ask(base, "POST", path, { token, body, key }))
          if (answer.status === 200) return answer.json
          // At the node that refused: it may take a token for expired that a node with a wrong clock has just issued.
          if (answer.status === 401) yield* renewToken(base)
          yield* Effect.sleep(answer.status === 0 || answer.status >= 500 || answer.status === 409 ? 200 : 50)
        }
        return undefined
      })

    const play = (one: Case) =>
      Effect.gen(function* () {
        const message = { channelID: company.channelID, fromAddress: one.number, message: one.marker }
        const created = yield* insist("/ticketMessages/create-new", message, `create ${one.marker}`)
        if (created === undefined) return
        one.messageID = numberIn(created, "messageID")
        if (!answers) return
        const answer = { modifiedAnswer: `answer to ${one.marker}` }
        const sent = yield* insist(`/ticketMessages/${one.messageID}/send`, answer, `send ${one.marker}`)
        one.isAnswered = sent !== undefined
      })

    yield* renewToken(next())
    const user = Effect.gen(function* () {
      while (!isOver) {
        const one = newCase()
        cases.push(one)
        yield* play(one)
        yield* Effect.sleep(20)
      }
    })
    const busy = yield* Effect.forkScoped(
      Effect.all(
        Array.from({ length: users }, () => user),
        { concurrency: users }
      )
    )
    return {
      /** Ends the load after the requests under way. */
      end: Effect.gen(function* () {
        isOver = true
        yield* Fiber.join(busy)
        return { cases, tally: { statuses, longestMs } satisfies Tally }
      }),
      acknowledged: () => cases.filter(({ messageID }) => messageID !== undefined).length
    }
  })
