import { type HubEvent, oldestOpenIn } from "./HubEventsRepo.ts"

/**
 * Remembers which events have been sent, for as long as a lookup could find them again: lookups cover transactions that
 * were open at the heartbeat before the last, or began later.
 */
export const makeToldEvents = (first: string) => {
  const told = new Map<string, bigint>()
  let oldestOpen = oldestOpenIn(first)
  let previousOpen = oldestOpen
  return {
    add: ({ eventID, transactionID }: Pick<HubEvent, "eventID" | "transactionID">) =>
      void told.set(eventID, transactionID),
    has: (eventID: string) => told.has(eventID),
    count: () => told.size,
    /** The oldest transaction that was open at the last heartbeat: everything that older ones recorded is visible. */
    oldestOpen: () => oldestOpen,
    /**
     * The oldest transaction open at the heartbeat before the last: everything that older ones recorded has been sent.
     */
    previousOpen: () => previousOpen,
    beat: (snapshot: string) => {
      previousOpen = oldestOpen
      oldestOpen = oldestOpenIn(snapshot)
      for (const [eventID, transactionID] of told) if (transactionID < previousOpen) told.delete(eventID)
    }
  }
}

export type ToldEvents = ReturnType<typeof makeToldEvents>
