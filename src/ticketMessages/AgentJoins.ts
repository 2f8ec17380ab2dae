import { Context, Effect, Layer } from "effect"
import type { CustomerID, CustomerRepID, TicketID } from "../../schema/Ids.ts"
import { Events } from "../events/Events.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AgentJoinsRepo } from "./AgentJoinsRepo.ts"

/** Records representatives who join a chat. */
export class AgentJoins extends Context.Tag("casework/AgentJoins")<
  AgentJoins,
  {
    /**
     * Records that a representative is in a chat, once for each, whether by joining or just by answering. Must run in a
     * transaction that has locked the ticket. Tickets of other channels have no chat window to notify.
     */
    readonly note: (customerID: CustomerID, ticketID: TicketID, customerRepID: CustomerRepID) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    AgentJoins,
    Effect.gen(function* () {
      const repo = yield* AgentJoinsRepo
      const events = yield* Events
      return {
        note: fn("AgentJoins.note")(function* (customerID, ticketID, customerRepID) {
          if (yield* repo.isNewTo(customerID, ticketID, customerRepID)) {
            yield* events.record(customerID, [{ kind: "AgentJoined", ticketID, details: { customerRepID } }])
          }
        })
      }
    })
  )
}
