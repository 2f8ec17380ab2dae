import { Effect } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { persistently } from "../platform/database/DatabaseAway.ts"
import { steadyAndRecent } from "./Attendance.ts"
import { HubClients } from "./HubClients.ts"
import { HubEventsRepo } from "./HubEventsRepo.ts"
import { goodbye } from "./HubProtocol.ts"
import { makeSnapshotsBefore } from "./SnapshotsBefore.ts"
import type { ToldEvents } from "./ToldEvents.ts"

/** A client that has missed more events than this had better reload. */
const mostMissed = 500

const tooMuchHappened = goodbye({ error: "Too many events were missed. Reconnect.", allowReconnect: true })

/** Finds events that clients of this node should have been sent and were not. */
export const makeMissedEvents = (first: string, told: ToldEvents) =>
  Effect.gen(function* () {
    const clients = yield* HubClients
    const repo = yield* HubEventsRepo
    const snapshotsBefore = makeSnapshotsBefore(first)
    // The attendance at the last two heartbeats, the later one first.
    let attendances = [clients.attendance(), clients.attendance()] as const

    const sendAway = (customers: ReadonlyArray<CustomerID>) => {
      for (const customerID of customers) for (const client of clients.all(customerID)) client.close(tooMuchHappened)
    }

    /**
     * The untold events of these customers that transactions have recorded since the heartbeat before the last. If
     * there are too many, calls `onTooMuch` and returns none.
     */
    const lookUp = (customers: ReadonlyArray<CustomerID>, onTooMuch: typeof sendAway, before?: bigint) =>
      Effect.gen(function* () {
        if (customers.length === 0) return []
        const attending = customers.map((customerID) => ({ customerID, snapshot: snapshotsBefore.of(customerID) }))
        const recorded = yield* repo.since(attending, told.previousOpen(), told.count() + mostMissed + 1, before)
        const untold = recorded.filter(({ eventID }) => !told.has(eventID))
        if (untold.length <= mostMissed) return untold
        onTooMuch(customers)
        return []
      }).pipe(persistently)

    return {
      /** Events that were recorded while this node was not listening. */
      unheard: Effect.suspend(() => {
        snapshotsBefore.note(clients.attendance())
        return lookUp(clients.customers(), sendAway)
      }),

      /** Events from before the last heartbeat that were never announced, for instance because their node died. */
      untold: Effect.suspend(() => {
        const now = clients.attendance()
        snapshotsBefore.note(now)
        const [last, before] = attendances
        const { recent, steady } = steadyAndRecent(now, last, before)
        // For a customer that connected in that time this also finds earlier events: too many of those are no reason to
        // send its clients away.
        return Effect.zipWith(
          lookUp(steady, sendAway, told.oldestOpen()),
          lookUp(recent, () => undefined, told.oldestOpen()),
          (ofSteady, ofRecent) => {
            attendances = [now, last]
            return [...ofSteady, ...ofRecent]
          }
        )
      }),

      /** Notes another heartbeat: later lookups start from a later point. */
      beat: (snapshot: string) => {
        snapshotsBefore.beat(snapshot)
        told.beat(snapshot)
      }
    }
  })
