import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { onEveryNode } from "../platform/queue/Periodically.ts"

const Long = Schema.Array(Schema.Struct({ customerID: CustomerID }))

// Summing up this many changes takes no noticeable time.
const mostChanges = 100

/**
 * Folds the changes in ticket_tally together. A fold is one statement: a reader sees either the changes or their sum,
 * and of two nodes that fold at once, each folds only what it deleted itself.
 */
const foldTicketTally = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const customers = yield* sql`
    /* all customers: whose tally is long */
    select customer_id as "customerID" from ticket_tally
    group by customer_id having count(*) > ${mostChanges}`.pipe(Effect.flatMap(Schema.decodeUnknown(Long)))
  for (const { customerID } of customers) {
    yield* sql`
      with folded as (delete from ticket_tally where customer_id = ${customerID} returning *)
      insert into ticket_tally
        select customer_id, channel_id, status, is_spam, sum(tickets) from folded
        where customer_id = ${customerID} group by 1, 2, 3, 4 having sum(tickets) <> 0`
  }
})

export const TicketTallyFolding = Layer.scopedDiscard(
  onEveryNode("folding the ticket tally", "5 seconds", foldTicketTally)
)
