import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"

export const makeTicketTallyRepo = Effect.map(SqlClient.SqlClient, (sql) => {
  const findLong = SqlSchema.findAll({
    Request: Schema.Int,
    Result: Schema.Struct({ customerID: CustomerID }),
    execute: (mostChanges) => sql`
      /* all customers: whose tally is long */
      select customer_id as "customerID" from ticket_tally
      group by customer_id having count(*) > ${mostChanges}`
  })

  return {
    /** The customers with more changes than this in their tally. */
    findLong: (mostChanges: number) =>
      Effect.map(findLong(mostChanges), (rows) => rows.map(({ customerID }) => customerID)),

    /**
     * Adds a customer's changes up in one statement: a reader sees either the changes or their sum, and of two nodes
     * that fold at once, each folds only what it deleted itself.
     */
    fold: (customerID: CustomerID) => sql`
      with folded as (delete from ticket_tally where customer_id = ${customerID} returning *)
      insert into ticket_tally
        select customer_id, channel_id, status, is_spam, sum(tickets) from folded
        where customer_id = ${customerID} group by 1, 2, 3, 4 having sum(tickets) <> 0`
  }
})
