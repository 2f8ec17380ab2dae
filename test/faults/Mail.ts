import { Effect, Random } from "effect"
import { eventually } from "../support/Eventually.ts"
import { field, listIn, numberIn, textIn } from "../support/Fields.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import { mail } from "../support/Mails.ts"
import { ask, freePort, loginTo, type Node, startNode, tryToAsk } from "../support/Processes.ts"

const address = "support@acme.example"
const mailsEachTime = 12
const answersEachTime = 3

export interface MailFaults {
  readonly kills: number
  readonly mails: number
  readonly lost: ReadonlyArray<string>
  readonly doubled: ReadonlyArray<string>
  readonly answers: number
  readonly answersLost: ReadonlyArray<string>
  readonly answersDoubled: ReadonlyArray<string>
  readonly subscriptions: number
  /** Whether the service's subscription is the one that the provider has, and lasts for days to come. */
  readonly isSubscribed: boolean
}

interface Message {
  readonly messageID: number
  readonly senderType: string
  readonly message: string
  readonly status: string
}

/** All items of a list, over all its pages. */
const all = (node: Node, path: string, token: string) =>
  Effect.gen(function* () {
    const items: Array<unknown> = []
    for (let page = 1; ; page++) {
      const answer = yield* ask(node, "GET", `${path}&pageSize=200&pageNumber=${page}`, token)
      items.push(...listIn(answer, "items"))
      if (page >= numberIn(answer, "totalPages")) return items
    }
  })

/** All messages in the channel's tickets from these mails. */
const messagesOn = (node: Node, token: string, channelID: number) =>
  Effect.gen(function* () {
    const tickets = yield* all(node, `/tickets?channelIDs=${channelID}`, token)
    const lists = yield* Effect.forEach(
      tickets.filter((ticket) => /^Mail \d+$/.test(String(field(ticket, "subject")))),
      (ticket) => all(node, `/ticketMessages?ticketId=${numberIn(ticket, "ticketID")}`, token),
      { concurrency: 4 }
    )
    return lists.flat().map(
      (one): Message => ({
        messageID: numberIn(one, "messageID"),
        senderType: textIn(one, "senderType"),
        message: textIn(one, "message"),
        status: textIn(one, "status")
      })
    )
  })

const repeated = (texts: ReadonlyArray<string>) =>
  [...new Set(texts)].filter((text) => texts.filter((other) => other === text).length > 1)

/** Ignores the failure of a request to a node that may die meanwhile. */
const whateverHappens = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.catchAllCause(effect, () => Effect.void)

/** Repeats a notification until it is accepted, as a provider does. */
const untilHeard = <R>(told: Effect.Effect<number, never, R>) =>
  told.pipe(
    Effect.catchAllDefect(() => Effect.succeed(0)),
    Effect.delay("200 millis"),
    Effect.repeat({ until: (status) => status === 200 })
  )

/**
 * Kills the service with -9 at random moments, while it imports mail, renews its subscription and sends answers, and
 * starts it again. In the end it returns what became of every mail and every answer.
 */
export const runMailFaults = (data: Readonly<Record<string, string>>, moments: number) =>
  Effect.gen(function* () {
    const graph = yield* GraphServer
    const port = yield* freePort
    const base = `http://127.0.0.1:${port}`
    const start = startNode({
      ...data,
      PORT: String(port),
      BASE_URL: base,
      AI_PROVIDER: "openai",
      GRAPH_BASE_URL: graph.graphUrl,
      OUTBOUND_ALLOW: `127.0.0.1:${graph.port}`
    })
    yield* graph.serviceAt(base)
    let node = yield* start
    const token = yield* loginTo(node)
    yield* ask(node, "PUT", "/api/Customers/me", token, {
      mailProviderTenantID: simulatedCredentials.tenantID,
      mailProviderClientID: simulatedCredentials.clientID,
      mailProviderClientSecret: simulatedCredentials.clientSecret,
      mailProviderAuthorityURL: graph.authorityUrl
    })
    const channel = yield* ask(node, "POST", "/api/Channels", token, {
      channelType: "Email",
      name: address,
      isActive: true,
      emailAddress: address
    })
    const channelID = numberIn(channel, "channelID")
    yield* ask(node, "POST", `/api/MailWebhook/subscribe/${channelID}`, token)
    yield* graph.set({ latency: 15 })

    let mails = 0
    const answers = new Map<string, "Taken" | "Unknown">()
    const mailArrives = () => {
      const names = Array.from({ length: mailsEachTime }, () => `Mail ${++mails}`)
      return graph.arrive(address, ...names.map((subject) => mail({ subject, text: subject })))
    }
    const answer = (target: Node, { message, messageID }: Message) =>
      Effect.promise(async () => {
        const text = `Answer to ${message}.`
        answers.set(text, "Unknown")
        await tryToAsk(target, "POST", `/ticketMessages/${messageID}/send`, token, { modifiedAnswer: text })
        answers.set(text, "Taken")
      })
    const current = Effect.map(graph.subscriptions, (known) => known.find(({ resource }) => resource.includes(address)))

    yield* mailArrives()
    for (let moment = 0; moment < moments; moment++) {
      const target = node
      const unanswered = Effect.map(messagesOn(target, token, channelID), (messages) =>
        messages.filter(
          ({ message, senderType, status }) =>
            senderType === "EndUser" && status !== "Replied" && !answers.has(`Answer to ${message}.`)
        )
      )
      const waiting = yield* eventually(unanswered, ({ length }) => length >= answersEachTime, "60 seconds")
      const subscription = yield* current
      const event = moment % 4 === 3 ? "subscriptionRemoved" : "reauthorizationRequired"
      const work = [
        mailArrives(),
        ask(target, "POST", `/api/Channels/${channelID}/import-emails`, token),
        ...(subscription === undefined ? [] : [untilHeard(graph.lifecycle(subscription, event))]),
        ...waiting.slice(0, answersEachTime).map((message) => answer(target, message))
      ]
      yield* Effect.forkScoped(Effect.forEach(work, whateverHappens, { concurrency: "unbounded" }))
      yield* Effect.sleep(yield* Random.nextIntBetween(20, 1500))
      yield* target.kill
      node = yield* start
    }

    yield* graph.set()
    const last = yield* current
    if (last !== undefined) yield* graph.lifecycle(last, "missed")
    const sent = Effect.sync(() =>
      [...graph.mailbox(address).messages.values()]
        .filter(({ folderID }) => folderID === "AAMk-sent")
        .map(({ fields }) => /Answer to Mail \d+\./.exec(textIn(fields["body"], "content"))?.[0] ?? "")
    )
    const report = Effect.gen(function* () {
      const messages = yield* messagesOn(node, token, channelID)
      const came = messages.filter(({ senderType }) => senderType === "EndUser").map(({ message }) => message)
      const ours = messages.filter(({ senderType }) => senderType === "CustomerRep")
      const left = yield* sent
      const folders = yield* ask(node, "GET", `/api/ChannelFolders/byChannel/${channelID}`, token)
      const folder: unknown = Array.isArray(folders) ? folders[0] : undefined
      const subscriptions = (yield* graph.subscriptions).filter(({ resource }) => resource.includes(address))
      const wanted = Array.from({ length: mails }, (_, index) => `Mail ${index + 1}`)
      const taken = [...answers].filter(([, state]) => state === "Taken").map(([text]) => text)
      return {
        isSettled: ours.every(({ status }) => status === "Sent"),
        kills: moments,
        mails,
        lost: wanted.filter((name) => !came.includes(name)),
        doubled: repeated(came),
        answers: ours.length,
        answersLost: [...new Set([...taken, ...ours.map(({ message }) => message)])].filter(
          (text) => !left.includes(text)
        ),
        answersDoubled: [...repeated(left), ...repeated(ours.map(({ message }) => message))],
        subscriptions: subscriptions.length,
        isSubscribed:
          subscriptions[0]?.id === field(folder, "subscriptionID") &&
          Date.parse(String(field(folder, "subscriptionExpiresUtc"))) > Date.now() + 5 * 86_400_000
      }
    })
    // The claims of a dead node expire after 25 seconds, and failed work is retried after a pause.
    const found: MailFaults = yield* report.pipe(
      Effect.delay("1 second"),
      Effect.repeat({
        until: ({ answersLost, isSettled, isSubscribed, lost }) =>
          isSettled && isSubscribed && lost.length + answersLost.length === 0,
        times: 150
      })
    )
    return found
  })
