import { Effect, Layer } from "effect"
import { onEveryNode } from "../platform/queue/Periodically.ts"
import { makeTicketTallyRepo } from "./TicketTallyRepo.ts"

// Summing up this many changes takes no noticeable time.
const mostChanges = 100

/** Folds the changes in ticket_tally together, so that counting tickets never has to add up many. */
export const TicketTallyFolding = Layer.scopedDiscard(
  Effect.flatMap(makeTicketTallyRepo, ({ findLong, fold }) =>
    onEveryNode("folding the ticket tally", "5 seconds", Effect.flatMap(findLong(mostChanges), Effect.forEach(fold)))
  )
)
