import { SqlClient } from "@effect/sql"
import { HttpTransportType, type HubConnection, HubConnectionBuilder, LogLevel } from "@microsoft/signalr"
import { Data, Deferred, Effect, Queue, Schema } from "effect"
import { HubSentMessage } from "../../schema/Hub.ts"
import { field } from "../support/Fields.ts"
import { baseUrl, tokenOf } from "../support/TestApp.ts"
import { nextOf } from "./NextOf.ts"

/** An event that a client received: its name and its argument. */
export interface Told {
  readonly event: string
  readonly argument: unknown
}

const events = ["MessageReceived", "TicketUpdated", "DraftReady", "AgentJoined", "Typing"]

export interface HubPeer {
  readonly connection: HubConnection
  readonly told: Queue.Queue<Told>
  /** Why the connection ended for good; undefined when nothing was wrong. */
  readonly ended: Effect.Effect<Error | undefined>
  readonly invoke: (method: string, ...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, HubRefused>
}

/** What the client's promise was rejected with. */
export class HubRefused extends Data.TaggedError("HubRefused")<{ readonly message: string }> {}

const refused = (error: unknown) => new HubRefused({ message: error instanceof Error ? error.message : String(error) })

/** The stock client, connected until the scope closes. */
export const peer = (
  query: string,
  options: {
    readonly token?: string
    readonly origin?: string
    /** As a proxy in front would say. */
    readonly address?: string
    readonly skipNegotiation?: boolean
    readonly reconnect?: ReadonlyArray<number>
  } = {}
) =>
  Effect.gen(function* () {
    const told = yield* Queue.unbounded<Told>()
    const { address, origin, reconnect, skipNegotiation = false, token } = options
    const builder = new HubConnectionBuilder()
      .configureLogging(LogLevel.None)
      .withUrl(`${yield* baseUrl}/chatHub${query}`, {
        transport: HttpTransportType.WebSockets,
        skipNegotiation,
        ...(token !== undefined && { accessTokenFactory: () => token }),
        headers: {
          ...(origin !== undefined && { Origin: origin }),
          ...(address !== undefined && { "X-Forwarded-For": address })
        }
      })
    const connection = (reconnect === undefined ? builder : builder.withAutomaticReconnect([...reconnect])).build()
    for (const event of events) connection.on(event, (argument: unknown) => told.unsafeOffer({ event, argument }))
    const ended = yield* Deferred.make<Error | undefined>()
    connection.onclose((error) => Deferred.unsafeDone(ended, Effect.succeed(error)))
    yield* Effect.acquireRelease(Effect.tryPromise({ try: () => connection.start(), catch: refused }), () =>
      Effect.promise(() => connection.stop())
    )
    return {
      connection,
      told,
      ended: Deferred.await(ended),
      invoke: (method: string, ...given: ReadonlyArray<unknown>) =>
        Effect.tryPromise({ try: () => connection.invoke<unknown>(method, ...given), catch: refused })
    } satisfies HubPeer
  })

/** A demo representative, connected to the hub. */
export const repPeer = (username: string, options: Parameters<typeof peer>[1] = {}) =>
  Effect.flatMap(tokenOf(username), (token) => peer("", { token, ...options }))

export const channelTokenOf = (customer: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`
      /* all customers: a test looks for the channel */
      select token::text as token from channel c join customer u on u.customer_id = c.customer_id
      where channel_type = 'Chat' and u.name like ${`${customer}%`} order by channel_id limit 1`
    const [{ token }] = yield* Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ token: Schema.String })))(rows)
    return token
  })

/** A chat visitor of Acme's website. */
export const visitorPeer = (options: Parameters<typeof peer>[1] = {}) =>
  Effect.flatMap(channelTokenOf("Acme"), (token) =>
    peer(`?channelToken=${token}`, { origin: "https://acme.example", ...options })
  )

type Listening = Pick<HubPeer, "told" | "ended">

const next = ({ ended, told }: Listening) =>
  nextOf(
    told,
    Effect.map(ended, (error) => error?.message ?? "nothing was wrong")
  )

/** The next event of a kind that a client receives; other events before it are skipped. */
export const nextTold = (peer: Listening, event: string): Effect.Effect<unknown> =>
  Effect.flatMap(next(peer), (one) => (one.event === event ? Effect.succeed(one.argument) : nextTold(peer, event)))

/** The message with this number, once a client receives it; late events about earlier messages are skipped. */
export const toldMessage = (peer: Listening, messageID: number) =>
  Effect.repeat(nextTold(peer, "MessageReceived"), { until: (message) => field(message, "messageID") === messageID })

/** The first event of each kind that a client receives, in whatever order they come. */
export const firstOfEach = (peer: Listening, events: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const first = new Map<string, unknown>()
    while (events.some((event) => !first.has(event))) {
      const { argument, event } = yield* next(peer)
      if (!first.has(event)) first.set(event, argument)
    }
    return first
  })

/** Everything that a client has received so far. */
export const allTold = ({ told }: HubPeer) => Effect.map(Queue.takeAll(told), (all) => [...all])

const decodeSent = Schema.decodeUnknown(HubSentMessage)

/** Sends a message through the hub, and returns the result that the client gets. */
export const say = ({ invoke }: HubPeer, message: string, ticketID?: number) =>
  Effect.flatMap(invoke("SendMessage", { message, ...(ticketID !== undefined && { ticketID }) }), decodeSent)
