import { Array as Arr, Cause, Effect, Layer, Option, Queue, Schedule } from "effect"
import type { CustomerID, TicketID } from "../../schema/Ids.ts"
import { isDatabaseAway, persistently } from "../platform/database/DatabaseAway.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { Broadcast } from "./Broadcast.ts"
import { HubClients } from "./HubClients.ts"
import { type HubEvent, HubEventsRepo, oldestOpenIn } from "./HubEventsRepo.ts"
import { goodbye, invocationOf } from "./HubProtocol.ts"
import { lightened } from "./Lightened.ts"
import type { Signal, TypingSignal } from "./Signal.ts"
import { makeSnapshotsBefore } from "./SnapshotsBefore.ts"

const largestBatch = 500

/** Who has missed more than this is better off reading anew. */
const mostMissed = 500

/** Characters after which the sockets are let be written: who reads must not be taken for one who does not. */
const mostInOneGo = 64 * 1024

const othersTurn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

interface Unreadable {
  readonly eventID: string
  readonly cause: Cause.Cause<unknown>
}

const logUntold = (cause: Cause.Cause<unknown>) => Effect.logError("events could not be told", cause)

/** Tells the clients of this node what happens, wherever it happens. */
export const HubEvents = Layer.scopedDiscard(
  Effect.gen(function* () {
    const clients = yield* HubClients
    const repo = yield* HubEventsRepo
    const broadcast = yield* Broadcast
    const first = yield* repo.snapshot
    const snapshotsBefore = makeSnapshotsBefore(first)
    // Events of transactions older than this have all been told; `told` holds which of the younger ones have.
    let oldestOpen = oldestOpenIn(first)
    let previousOpen = oldestOpen
    const told = new Map<string, bigint>()

    const tellVisitors = (customerID: CustomerID, ticketID: TicketID, target: string, argument: string) => {
      const text = invocationOf(target, argument)
      for (const client of clients.followers(customerID, ticketID)) {
        if (client.caller._tag === "Visitor") client.send(text)
      }
    }

    const tellTyping = ({ customerID, customerRepID, from, ticketID }: TypingSignal) => {
      const toVisitors = invocationOf("Typing", JSON.stringify({ from }))
      const toRepresentatives = invocationOf("Typing", JSON.stringify({ from, ticketID }))
      for (const { caller, send } of clients.followers(customerID, ticketID)) {
        if (caller._tag === "Visitor" && customerRepID !== null) send(toVisitors)
      }
      for (const { caller, send } of clients.representatives(customerID)) {
        if (caller._tag === "Representative" && caller.customerRepID !== customerRepID) send(toRepresentatives)
      }
    }

    const tellVisitorsOf = (customerID: CustomerID, { agentName, ticketID, visitorMessage }: HubEvent) => {
      if (visitorMessage !== null) tellVisitors(customerID, ticketID, "MessageReceived", lightened(visitorMessage))
      if (agentName !== null) {
        tellVisitors(customerID, ticketID, "AgentJoined", JSON.stringify({ name: agentName }))
      }
    }

    const forRepresentatives = ({ agentName, kind, message, ticket, ticketID }: HubEvent) => {
      const target = kind === "DraftReady" ? "DraftReady" : "MessageReceived"
      const ofMessage = message === null ? "" : invocationOf(target, lightened(message))
      const ofAgent =
        agentName === null ? "" : invocationOf("AgentJoined", JSON.stringify({ name: agentName, ticketID }))
      return ofMessage + ofAgent + (ticket === null ? "" : invocationOf("TicketUpdated", ticket))
    }

    /** What cannot be read, and never will be, is searched for by halves: it keeps nobody from hearing of the rest. */
    const read = (
      customerID: CustomerID,
      eventIDs: ReadonlyArray<string>,
      unreadable: Array<Unreadable>
    ): Effect.Effect<ReadonlyArray<HubEvent>> =>
      persistently(repo.find(customerID, eventIDs)).pipe(
        Effect.sandbox,
        // One that is about to be given up may have failed for a reason that passes.
        Effect.retry({
          while: (cause) => eventIDs.length === 1 && !isDatabaseAway(cause),
          schedule: Schedule.spaced("200 millis"),
          times: 2
        }),
        Effect.unsandbox,
        Effect.catchAllCause((cause) => {
          if (isDatabaseAway(cause) || Cause.isInterrupted(cause)) return Effect.failCause(cause)
          if (eventIDs.length > 1) {
            const halves = Arr.chunksOf(eventIDs, Math.ceil(eventIDs.length / 2))
            return Effect.map(
              Effect.forEach(halves, (half) => read(customerID, half, unreadable)),
              Arr.flatten
            )
          }
          for (const eventID of eventIDs) unreadable.push({ eventID, cause })
          return Effect.succeed([])
        })
      )

    /** They count as told: each heartbeat would find them again. */
    const passOver = Effect.fnUntraced(function* (customerID: CustomerID, unreadable: ReadonlyArray<Unreadable>) {
      const [first] = unreadable
      if (first === undefined) return
      const eventIDs = unreadable.map(({ eventID }) => eventID)
      yield* Effect.logError("events cannot be read and are told to nobody", first.cause).pipe(
        Effect.annotateLogs({ customerID, eventIDs: eventIDs.join(" ") })
      )
      if (!broadcast.mayMiss) return
      const recorded = yield* persistently(repo.recordedBy(customerID, eventIDs))
      for (const { eventID, transactionID } of recorded) told.set(eventID, transactionID)
    })

    const tellAll = fn("HubEvents.tellAll")(function* (customerID: CustomerID, eventIDs: ReadonlyArray<string>) {
      const fresh = eventIDs.filter((eventID) => !told.has(eventID))
      if (fresh.length === 0) return
      const unreadable: Array<Unreadable> = []
      const events = yield* read(customerID, fresh, unreadable)
      // What is told together goes to each client in one piece.
      let together = ""
      const flush = () => {
        if (together === "") return
        for (const client of clients.representatives(customerID)) client.send(together)
        together = ""
      }
      for (const event of events) {
        if (broadcast.mayMiss) told.set(event.eventID, event.transactionID)
        tellVisitorsOf(customerID, event)
        together += forRepresentatives(event)
        if (together.length > mostInOneGo) {
          flush()
          yield* othersTurn
        }
      }
      flush()
      yield* passOver(customerID, unreadable)
    }, Effect.catchAllCause(logUntold))

    const sendAway = (customers: ReadonlyArray<CustomerID>) => {
      const text = goodbye({ error: "Too much has happened meanwhile.", allowReconnect: true })
      for (const customerID of customers) for (const client of clients.all(customerID)) client.close(text)
    }

    /**
     * What these customers were not told, of what transactions have recorded since the heartbeat before the last. What is
     * too much to be told is none of it.
     */
    const lookUp = (customers: ReadonlyArray<CustomerID>, onTooMuch: typeof sendAway, before?: bigint) =>
      Effect.gen(function* () {
        if (customers.length === 0) return []
        const attending = customers.map((customerID) => ({ customerID, snapshot: snapshotsBefore.of(customerID) }))
        const recorded = yield* repo.since(attending, previousOpen, told.size + mostMissed + 1, before)
        const fresh = recorded.filter(({ eventID }) => !told.has(eventID))
        if (fresh.length <= mostMissed) return fresh
        onTooMuch(customers)
        return []
      }).pipe(persistently)

    /** What was recorded while nobody listened. */
    const findMissed = Effect.suspend(() => {
      snapshotsBefore.note(clients.attendance())
      return lookUp(clients.customers(), sendAway)
    })

    // Who was connected at the last two heartbeats, the later one first.
    let attendances = [clients.attendance(), clients.attendance()] as const

    /** What happened before the last heartbeat and was never told, as when the node that should have has died. */
    const findUntold = Effect.suspend(() => {
      const now = clients.attendance()
      snapshotsBefore.note(now)
      const [last, before] = attendances
      const wasThere = (at: ReadonlyMap<CustomerID, unknown>) => (customerID: CustomerID) =>
        at.get(customerID) === now.get(customerID)
      const [recent, steady] = Arr.partition([...now.keys()].filter(wasThere(last)), wasThere(before))
      // A customer who connected in that time also finds events from before: too many of those are no reason to send it away.
      return Effect.zipWith(
        lookUp(steady, sendAway, oldestOpen),
        lookUp(recent, () => undefined, oldestOpen),
        (one, other) => {
          attendances = [now, last]
          return [...one, ...other]
        }
      )
    })

    /** None when it cannot be looked up now: what was heard meanwhile is told all the same. */
    const lookedUp = <A>(look: Effect.Effect<A>) =>
      Effect.catchAllCause(Effect.asSome(look), (cause) => Effect.as(logUntold(cause), Option.none<A>()))

    const beat = (snapshot: string) => {
      snapshotsBefore.beat(snapshot)
      previousOpen = oldestOpen
      oldestOpen = oldestOpenIn(snapshot)
      for (const [eventID, transactionID] of told) if (transactionID < previousOpen) told.delete(eventID)
    }

    const handle = fn("HubEvents.handle")(function* (signals: ReadonlyArray<Signal>) {
      const recorded = new Map<CustomerID, Array<string>>()
      const note = ({ customerID, eventID }: { readonly customerID: CustomerID; readonly eventID: string }) => {
        const known = recorded.get(customerID)
        if (known === undefined) recorded.set(customerID, [eventID])
        else known.push(eventID)
      }
      for (const signal of signals) {
        switch (signal._tag) {
          case "Recorded":
            note(signal)
            break
          case "Typing":
            tellTyping(signal.typing)
            break
          case "Heartbeat": {
            const untold = yield* lookedUp(findUntold)
            // Otherwise the next heartbeat looks from where this one should have.
            if (Option.isSome(untold)) {
              for (const event of untold.value) note(event)
              beat(signal.snapshot)
            }
            break
          }
          case "Resumed":
            for (const missed of Option.toArray(yield* lookedUp(findMissed)).flat()) note(missed)
            break
        }
      }
      const heard = [...recorded].filter(([customerID]) => clients.has(customerID))
      yield* Effect.forEach(heard, ([customerID, eventIDs]) => tellAll(customerID, eventIDs), {
        concurrency: 4,
        discard: true
      })
    })

    const signals = yield* broadcast.subscribe
    // `take` waits and gives one signal; those that arrived together with it are taken behind it.
    yield* Effect.zip(Queue.take(signals), Queue.takeUpTo(signals, largestBatch - 1)).pipe(
      Effect.flatMap(([first, more]) => handle([first, ...more]).pipe(Effect.catchAllCause(logUntold))),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
