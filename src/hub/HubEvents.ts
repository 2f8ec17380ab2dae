import { Effect, Layer, Option, Queue } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { Broadcast } from "../events/Broadcast.ts"
import type { Signal, TypingSignal } from "../events/Signal.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { logUntold, makeEventTelling } from "./EventTelling.ts"
import { HubClients } from "./HubClients.ts"
import { HubEventsRepo } from "./HubEventsRepo.ts"
import { typingForRepresentatives, typingForVisitors } from "./HubTexts.ts"
import { makeMissedEvents } from "./MissedEvents.ts"
import { makeToldEvents } from "./ToldEvents.ts"

const largestBatch = 500

/** None when the lookup fails now: events that were heard are sent all the same. */
const lookedUp = <A>(look: Effect.Effect<A>) =>
  Effect.catchAllCause(Effect.asSome(look), (cause) => Effect.as(logUntold(cause), Option.none<A>()))

/** The events to send, by customer. */
const makeToTell = () => {
  const byCustomer = new Map<CustomerID, Array<string>>()
  return {
    byCustomer,
    add: ({ customerID, eventID }: { readonly customerID: CustomerID; readonly eventID: string }) => {
      const known = byCustomer.get(customerID)
      if (known === undefined) byCustomer.set(customerID, [eventID])
      else known.push(eventID)
    }
  }
}

/** Sends a visitor's typing to representatives, and a representative's to visitors and the other representatives. */
const makeTypingTelling = Effect.map(HubClients, (clients) => (typing: TypingSignal) => {
  const { customerID, customerRepID, ticketID } = typing
  const toVisitors = typingForVisitors(typing)
  const toRepresentatives = typingForRepresentatives(typing)
  for (const { caller, send } of clients.followers(customerID, ticketID)) {
    if (caller._tag === "Visitor" && customerRepID !== null) send(toVisitors)
  }
  for (const { caller, send } of clients.representatives(customerID)) {
    if (caller._tag === "Representative" && caller.customerRepID !== customerRepID) send(toRepresentatives)
  }
})

const make = Effect.gen(function* () {
  const clients = yield* HubClients
  const broadcast = yield* Broadcast
  const first = yield* Effect.flatMap(HubEventsRepo, (repo) => repo.snapshot)
  const told = makeToldEvents(first)
  const missed = yield* makeMissedEvents(first, told)
  const tellAll = yield* makeEventTelling(told)
  const tellTyping = yield* makeTypingTelling

  /** Collects the events to send after these signals. Typing is sent at once. */
  const toTellAfter = Effect.fnUntraced(function* (signals: ReadonlyArray<Signal>) {
    const toTell = makeToTell()
    for (const signal of signals) {
      switch (signal._tag) {
        case "Recorded":
          toTell.add(signal)
          break
        case "Typing":
          tellTyping(signal.typing)
          break
        case "Heartbeat": {
          const untold = yield* lookedUp(missed.untold)
          // After a failed lookup the next heartbeat starts from the same point.
          if (Option.isNone(untold)) break
          for (const event of untold.value) toTell.add(event)
          missed.beat(signal.snapshot)
          break
        }
        case "Resumed":
          for (const event of Option.toArray(yield* lookedUp(missed.unheard)).flat()) toTell.add(event)
          break
      }
    }
    return [...toTell.byCustomer].filter(([customerID]) => clients.has(customerID))
  })

  const handle = fn("HubEvents.handle")(function* (signals: ReadonlyArray<Signal>) {
    const toTell = yield* toTellAfter(signals)
    yield* Effect.forEach(toTell, ([customerID, eventIDs]) => tellAll(customerID, eventIDs), {
      concurrency: 4,
      discard: true
    })
  })

  const signals = yield* broadcast.subscribe
  // `take` waits for one signal; `takeUpTo` adds those that arrived together with it.
  yield* Effect.zip(Queue.take(signals), Queue.takeUpTo(signals, largestBatch - 1)).pipe(
    Effect.flatMap(([next, more]) => handle([next, ...more]).pipe(Effect.catchAllCause(logUntold))),
    Effect.forever,
    Effect.forkScoped
  )
})

/** Sends events from all nodes to the clients of this node. */
export const HubEvents = Layer.scopedDiscard(make)
