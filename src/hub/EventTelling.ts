import { type Cause, Effect } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { Broadcast } from "../events/Broadcast.ts"
import { persistently } from "../platform/database/DatabaseAway.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { HubClients } from "./HubClients.ts"
import { type HubEvent, HubEventsRepo } from "./HubEventsRepo.ts"
import { forRepresentatives, forVisitors } from "./HubTexts.ts"
import { makeReadEvents, type Unreadable } from "./ReadEvents.ts"
import type { ToldEvents } from "./ToldEvents.ts"

/**
 * After this many characters sockets get a chance to write, so that clients that do read are not taken for stalled
 * ones.
 */
const mostInOneGo = 64 * 1024

const othersTurn = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))

export const logUntold = (cause: Cause.Cause<unknown>) => Effect.logError("events could not be sent to clients", cause)

/** Sends events to a customer's clients, each event once. */
export const makeEventTelling = (told: ToldEvents) =>
  Effect.gen(function* () {
    const clients = yield* HubClients
    const repo = yield* HubEventsRepo
    const { mayMiss } = yield* Broadcast
    const read = yield* makeReadEvents

    const tellVisitors = (customerID: CustomerID, event: HubEvent) => {
      const text = forVisitors(event)
      if (text === "") return
      for (const { caller, send } of clients.followers(customerID, event.ticketID)) {
        if (caller._tag === "Visitor") send(text)
      }
    }

    const tellRepresentatives = (customerID: CustomerID, text: string) => {
      if (text === "") return
      for (const { send } of clients.representatives(customerID)) send(text)
    }

    const tellEach = Effect.fnUntraced(function* (customerID: CustomerID, events: ReadonlyArray<HubEvent>) {
      // Each representative gets these texts in one piece.
      let together = ""
      for (const event of events) {
        if (mayMiss) told.add(event)
        tellVisitors(customerID, event)
        together += forRepresentatives(event)
        if (together.length > mostInOneGo) {
          tellRepresentatives(customerID, together)
          together = ""
          yield* othersTurn
        }
      }
      tellRepresentatives(customerID, together)
    })

    /** Counts unreadable events as told: otherwise each heartbeat would find them again. */
    const passOver = Effect.fnUntraced(function* (customerID: CustomerID, unreadable: ReadonlyArray<Unreadable>) {
      const [first] = unreadable
      if (first === undefined) return
      const eventIDs = unreadable.map(({ eventID }) => eventID)
      yield* Effect.logError("events cannot be read and are skipped", first.cause).pipe(
        Effect.annotateLogs({ customerID, eventIDs: eventIDs.join(" ") })
      )
      if (!mayMiss) return
      for (const recorded of yield* persistently(repo.recordedBy(customerID, eventIDs))) told.add(recorded)
    })

    return fn("EventTelling.tellAll")(function* (customerID: CustomerID, eventIDs: ReadonlyArray<string>) {
      const fresh = eventIDs.filter((eventID) => !told.has(eventID))
      if (fresh.length === 0) return
      const { events, unreadable } = yield* read(customerID, fresh)
      yield* tellEach(customerID, events)
      yield* passOver(customerID, unreadable)
    }, Effect.catchAllCause(logUntold))
  })
