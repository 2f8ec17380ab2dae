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

/** Retries before an event is given up: the failure may be temporary. */
const tryingTwiceMore = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.sandbox,
    Effect.retry({ until: isDatabaseAway, schedule: Schedule.spaced("200 millis"), times: 2 }),
    Effect.unsandbox
  )

/** Reads events. On failure the unreadable ones are found by halving, so that clients still hear of the rest. */
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
