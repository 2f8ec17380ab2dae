import { Array as Arr, Cause, Effect, Schedule } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { isDatabaseAway, persistently } from "../platform/database/DatabaseAway.ts"
import { type HubEvent, HubEventsRepo } from "./HubEventsRepo.ts"

/** An event that cannot be read, and never will be. */
export interface Unreadable {
  readonly eventID: string
  readonly cause: Cause.Cause<unknown>
}

interface Found {
  readonly events: ReadonlyArray<HubEvent>
  readonly unreadable: ReadonlyArray<Unreadable>
}

const joined = (parts: ReadonlyArray<Found>): Found => ({
  events: parts.flatMap(({ events }) => events),
  unreadable: parts.flatMap(({ unreadable }) => unreadable)
})

/** An event that is about to be given up may have failed for a reason that passes. */
const tryingTwiceMore = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.sandbox,
    Effect.retry({ until: isDatabaseAway, schedule: Schedule.spaced("200 millis"), times: 2 }),
    Effect.unsandbox
  )

/** Reads events. What cannot be read is searched for by halves: it keeps nobody from hearing of the rest. */
export const makeReadEvents = Effect.map(HubEventsRepo, (repo) => {
  const read = (customerID: CustomerID, eventIDs: ReadonlyArray<string>): Effect.Effect<Found> => {
    const canBeHalved = eventIDs.length > 1
    const find = persistently(repo.find(customerID, eventIDs))
    return (canBeHalved ? find : tryingTwiceMore(find)).pipe(
      Effect.map((events): Found => ({ events, unreadable: [] })),
      Effect.catchAllCause((cause) => {
        if (isDatabaseAway(cause) || Cause.isInterrupted(cause)) return Effect.failCause(cause)
        if (!canBeHalved) {
          return Effect.succeed({ events: [], unreadable: eventIDs.map((eventID) => ({ eventID, cause })) })
        }
        const halves = Arr.chunksOf(eventIDs, Math.ceil(eventIDs.length / 2))
        return Effect.map(
          Effect.forEach(halves, (half) => read(customerID, half)),
          joined
        )
      })
    )
  }
  return read
})
