import { randomUUID } from "node:crypto"
import type { PgClient } from "@effect/sql-pg"
import {
  Array as Arr,
  Data,
  Deferred,
  Duration,
  Effect,
  FiberSet,
  Option,
  Queue,
  Redacted,
  Schedule,
  Schema
} from "effect"
import pg from "pg"
import { CustomerID } from "../../schema/Ids.ts"
import { noLongerThan } from "../platform/concurrency/NoLongerThan.ts"
import { type Signal, TypingSignal } from "./Signal.ts"

/** The channel for recorded events: customer id and event id, several pairs separated by commas. */
export const eventChannel = "casework_event"
const typingChannel = "casework_typing"

const heartbeatEvery = Duration.seconds(5)
const longestAnswer = Duration.seconds(5)

const beatSql = "select pg_current_snapshot()::text as snapshot, pg_notify($1, $2)"

class ListenerLost extends Data.TaggedError("ListenerLost")<{ readonly cause: unknown }> {}

const decodeTyping = Schema.decodeUnknownOption(Schema.parseJson(TypingSignal))
const encodeTyping = Schema.encode(Schema.parseJson(TypingSignal))
const decodeHeartbeat = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ snapshot: Schema.String })))

const isCustomerID = Schema.is(CustomerID)

/** Parsed without a schema, for speed: every node hears every event, and most do not concern its clients. */
const recordedIn = (line: string): Option.Option<Signal> => {
  const [, customer, eventID] = /^(\d{1,10}) (\d{1,19})$/.exec(line) ?? []
  const customerID = Number(customer)
  return isCustomerID(customerID) && eventID !== undefined
    ? Option.some({ _tag: "Recorded", customerID, eventID })
    : Option.none()
}

const signalsIn = ({ channel, payload = "" }: pg.Notification): ReadonlyArray<Signal> =>
  channel === eventChannel
    ? Arr.filterMap(payload.split(","), recordedIn)
    : Option.toArray(Option.map(decodeTyping(payload), (typing) => ({ _tag: "Typing", typing })))

/** As many ids as fit into a notification, at their longest. */
const mostInOne = 200
const gatherFor = Duration.millis(10)

/**
 * Announces the first committed events at once; those of the following moment are gathered and announced together. A
 * commit that notifies waits for every other one that does, and wakes every node. What a node did not announce before
 * it died is looked up by the others.
 */
const makeTeller = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    let waiting: Array<string> = []
    const tellAll = Effect.suspend(() => {
      const lines = waiting
      waiting = []
      return Effect.forEach(
        Arr.chunksOf(lines, mostInOne),
        (some) => sql`select pg_notify(${eventChannel}, ${some.join(",")})`,
        { discard: true }
      )
    }).pipe(Effect.catchAllCause((cause) => Effect.logWarning("events are announced late", cause)))
    const fork = yield* FiberSet.makeRuntime()
    let isTelling = false
    // `tellOn` does not wait for the database to take a notification: the events of one that is so late are looked up
    // meanwhile.
    const tellOn: Effect.Effect<void> = Effect.suspend(() => {
      isTelling = waiting.length > 0
      if (!isTelling) return Effect.void
      fork(tellAll)
      return Effect.zipRight(Effect.sleep(gatherFor), tellOn)
    })
    yield* Effect.addFinalizer(() => tellAll)
    return (customerID: CustomerID, eventIDs: ReadonlyArray<string>) =>
      Effect.sync(() => {
        for (const eventID of eventIDs) waiting.push(`${customerID} ${eventID}`)
        if (!isTelling) fork(tellOn)
      })
  })

/** Broadcasts through the database that all nodes share, using LISTEN on a connection of its own. */
export const makePostgresBroadcast = (sql: PgClient.PgClient) => {
  const connect = Effect.gen(function* () {
    const lost = yield* Deferred.make<never, ListenerLost>()
    const lose = (cause: unknown) => Deferred.unsafeDone(lost, Effect.fail(new ListenerLost({ cause })))
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = new pg.Client({
          connectionString: sql.config.url === undefined ? undefined : Redacted.value(sql.config.url),
          application_name: "casework hub",
          connectionTimeoutMillis: 10_000,
          keepAlive: true
        })
        return made.on("error", lose).on("end", () => lose("The connection was closed"))
      }),
      (opened) => Effect.ignore(noLongerThan("1 second")(Effect.tryPromise(() => opened.end())))
    )
    const ask = (evaluate: () => Promise<unknown>) =>
      Effect.tryPromise({ try: evaluate, catch: (cause) => new ListenerLost({ cause }) }).pipe(
        Effect.timeoutFail({
          duration: longestAnswer,
          onTimeout: () => new ListenerLost({ cause: "The database does not respond" })
        }),
        Effect.raceFirst(Deferred.await(lost))
      )
    yield* ask(() => client.connect())
    return { client, ask }
  })

  /** Ends only when the connection is lost. */
  const listen = (signals: Queue.Enqueue<Signal>) =>
    Effect.gen(function* () {
      const { ask, client } = yield* connect
      // Only this connection listens on it: if it does not hear itself, as behind a pooler, it hears nobody.
      const echo = `casework_echo_${randomUUID().replaceAll("-", "")}`
      let hearsItself = true
      client.on("notification", (notification) => {
        if (notification.channel === echo) hearsItself = true
        for (const signal of signalsIn(notification)) signals.unsafeOffer(signal)
      })
      yield* ask(() => client.query(`listen ${eventChannel}; listen ${typingChannel}; listen ${echo}`))
      yield* Queue.offer(signals, { _tag: "Resumed" })
      const beat = Effect.gen(function* () {
        if (!hearsItself)
          return yield* new ListenerLost({
            cause: "Notifications do not arrive: a connection pooler must use session pooling"
          })
        hearsItself = false
        const answer = yield* ask(() => client.query(beatSql, [echo, ""]).then(({ rows }) => rows))
        const [{ snapshot }] = yield* Effect.orDie(decodeHeartbeat(answer))
        yield* Queue.offer(signals, { _tag: "Heartbeat", snapshot })
      })
      yield* Effect.repeat(beat, Schedule.spaced(heartbeatEvery))
    }).pipe(Effect.scoped)

  /** Subscribers on this node need not wait for the database's notification. */
  const here = new Set<Queue.Enqueue<Signal>>()

  return Effect.map(makeTeller(sql), (tell) => ({
    recorded: () => Effect.void,
    committed: (customerID: CustomerID, eventIDs: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        for (const signals of here) {
          for (const eventID of eventIDs) signals.unsafeOffer({ _tag: "Recorded", customerID, eventID })
        }
        return tell(customerID, eventIDs)
      }),
    typing: (typing: TypingSignal) =>
      Effect.flatMap(encodeTyping(typing), (payload) => sql`select pg_notify(${typingChannel}, ${payload})`).pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    mayMiss: true,
    subscribe: Effect.gen(function* () {
      const signals = yield* Effect.acquireRelease(Queue.unbounded<Signal>(), Queue.shutdown)
      yield* Effect.acquireRelease(
        Effect.sync(() => here.add(signals)),
        () => Effect.sync(() => here.delete(signals))
      )
      yield* listen(signals).pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("the hub receives no events from the database", cause)),
        Effect.repeat(Schedule.jittered(Schedule.spaced("500 millis"))),
        Effect.forkScoped
      )
      return signals
    })
  }))
}
