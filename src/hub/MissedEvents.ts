import { Effect } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { persistently } from "../platform/database/DatabaseAway.ts"
import { steadyAndRecent } from "./Attendance.ts"
import { HubClients } from "./HubClients.ts"
import { HubEventsRepo } from "./HubEventsRepo.ts"
import { goodbye } from "./HubProtocol.ts"
import { makeSnapshotsBefore } from "./SnapshotsBefore.ts"
import type { ToldEvents } from "./ToldEvents.ts"

/** Who has missed more than this is better off reading anew. */
const mostMissed = 500

const tooMuchHappened = goodbye({ error: "Too much has happened meanwhile.", allowReconnect: true })

/** Finds what clients of this node should have been told and were not. */
export const makeMissedEvents = (first: string, told: ToldEvents) =>
  Effect.gen(function* () {
    const clients = yield* HubClients
    const repo = yield* HubEventsRepo
    const snapshotsBefore = makeSnapshotsBefore(first)
    // Who was connected at the last two heartbeats, the later one first.
    let attendances = [clients.attendance(), clients.attendance()] as const

    const sendAway = (customers: ReadonlyArray<CustomerID>) => {
      for (const customerID of customers) for (const client of clients.all(customerID)) client.close(tooMuchHappened)
    }

    /**
     * What these customers were not told, of what transactions have recorded since the heartbeat before the last. What is
     * too much to be told is none of it.
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
      /** What was recorded while nobody listened. */
      unheard: Effect.suspend(() => {
        snapshotsBefore.note(clients.attendance())
        return lookUp(clients.customers(), sendAway)
      }),

      /** What happened before the last heartbeat and was never told, as when the node that should have has died. */
      untold: Effect.suspend(() => {
        const now = clients.attendance()
        snapshotsBefore.note(now)
        const [last, before] = attendances
        const { recent, steady } = steadyAndRecent(now, last, before)
        // A customer who connected in that time also finds events from before: too many of those are no reason to send it away.
        return Effect.zipWith(
          lookUp(steady, sendAway, told.oldestOpen()),
          lookUp(recent, () => undefined, told.oldestOpen()),
          (ofSteady, ofRecent) => {
            attendances = [now, last]
            return [...ofSteady, ...ofRecent]
          }
        )
      }),

      /** Another heartbeat: from now on one looks from a later point. */
      beat: (snapshot: string) => {
        snapshotsBefore.beat(snapshot)
        told.beat(snapshot)
      }
    }
  })
