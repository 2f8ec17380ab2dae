import { Context, Effect, Layer } from "effect"
import type { CustomerID, CustomerRepID, TicketID } from "../../schema/Ids.ts"
import { Events } from "../events/Events.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AgentJoinsRepo } from "./AgentJoinsRepo.ts"

/** Representatives who step into a chat. */
export class AgentJoins extends Context.Tag("casework/AgentJoins")<
  AgentJoins,
  {
    /**
     * Remembers that a representative is in a chat, once for each of them, whether it joined or simply answered. Belongs
     * into a transaction that has locked the ticket. A ticket of another channel has no window to tell.
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
