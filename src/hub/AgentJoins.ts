import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import type { CustomerID, CustomerRepID, TicketID } from "../../schema/Ids.ts"
import { Events } from "../events/Events.ts"
import { fn } from "../platform/telemetry/Fn.ts"

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
      const sql = yield* SqlClient.SqlClient
      const events = yield* Events
      return {
        note: fn("AgentJoins.note")(function* (customerID, ticketID, customerRepID) {
          const isNew = yield* sql`
            select 1 from ticket t
            join channel c on c.customer_id = t.customer_id and c.channel_id = t.channel_id
            where t.customer_id = ${customerID} and t.ticket_id = ${ticketID} and c.channel_type = 'Chat'
              and not exists (
                select 1 from event e where e.customer_id = ${customerID} and e.ticket_id = ${ticketID}
                  and e.kind = 'AgentJoined' and e.details->>'customerRepID' = ${String(customerRepID)})`
          if (isNew.length > 0) {
            yield* events.record(customerID, [{ kind: "AgentJoined", ticketID, details: { customerRepID } }])
          }
        }, Effect.orDie)
      }
    })
  )
}
