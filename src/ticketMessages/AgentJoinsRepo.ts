import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import type { CustomerID, CustomerRepID, TicketID } from "../../schema/Ids.ts"

export class AgentJoinsRepo extends Context.Tag("casework/AgentJoinsRepo")<
  AgentJoinsRepo,
  {
    /** Whether the ticket is a chat and the representative is not recorded as being in it yet. */
    readonly isNewTo: (
      customerID: CustomerID,
      ticketID: TicketID,
      customerRepID: CustomerRepID
    ) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    AgentJoinsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return {
        isNewTo: (customerID, ticketID, customerRepID) =>
          sql`
            select 1 from ticket t
            join channel c on c.customer_id = t.customer_id and c.channel_id = t.channel_id
            where t.customer_id = ${customerID} and t.ticket_id = ${ticketID} and c.channel_type = 'Chat'
              and not exists (
                select 1 from event e where e.customer_id = ${customerID} and e.ticket_id = ${ticketID}
                  and e.kind = 'AgentJoined' and e.details->>'customerRepID' = ${String(customerRepID)})`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      }
    })
  )
}
