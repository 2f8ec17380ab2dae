import { type HubEvent, oldestOpenIn } from "./HubEventsRepo.ts"

/**
 * Remembers which events have been told, for as long as they could be found again: what is looked up was recorded by
 * transactions that were open at the heartbeat before the last, or began later.
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
    /** The oldest transaction that was open at the last heartbeat: whatever older ones have recorded can be seen. */
    oldestOpen: () => oldestOpen,
    /**
     * The oldest transaction that was open at the heartbeat before: whatever older ones have recorded has been told.
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
