import { Context, Effect, Either, Layer } from "effect"
import { Conflict } from "../../schema/Errors.ts"
import type { CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { TicketEventKind } from "../events/Event.ts"
import { Events } from "../events/Events.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { decideAll, type TicketCommand, type TicketState } from "./TicketState.ts"
import { TicketsRepo } from "./TicketsRepo.ts"

type Ticket = TicketState & { readonly ticketID: TicketID }

/** Applies commands to tickets that this transaction has locked: decides, stores, and returns what happened. */
export class TicketChanges extends Context.Tag("casework/TicketChanges")<
  TicketChanges,
  {
    readonly apply: (
      customerID: CustomerID,
      tickets: ReadonlyArray<Ticket>,
      commands: ReadonlyArray<TicketCommand>,
      cause?: TicketMessageID
    ) => Effect.Effect<ReadonlyArray<TicketEventKind>, Conflict>
  }
>() {
  static readonly layer = Layer.effect(
    TicketChanges,
    Effect.gen(function* () {
      const repo = yield* TicketsRepo
      const events = yield* Events
      return {
        apply: fn("TicketChanges.apply")(function* (customerID, tickets, commands, cause) {
          const decisions = yield* Effect.forEach(tickets, (ticket) =>
            Either.match(decideAll(ticket, commands), {
              onLeft: (conflict) => Conflict.of(conflict),
              onRight: ({ events: happened, state }) => Effect.succeed({ ticketID: ticket.ticketID, state, happened })
            })
          )
          const changed = decisions.filter(({ happened }) => happened.length > 0)
          if (changed.length === 0) return []
          yield* repo.saveStates(
            customerID,
            changed.map(({ state, ticketID }) => ({ ...state, ticketID }))
          )
          yield* events.record(
            customerID,
            changed.flatMap(({ happened, state, ticketID }) =>
              happened.map((kind) => ({
                kind,
                ticketID,
                ...(cause !== undefined && { ticketMessageID: cause }),
                details: { status: state.status, customerRepID: state.customerRepID }
              }))
            )
          )
          return changed.flatMap(({ happened }) => happened)
        })
      }
    })
  )
}
