import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Tickets without a value sort first, so the indexes need nulls first as well. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    drop index ticket_active;
    create index ticket_active on ticket (customer_id, last_message_at nulls first, ticket_id);
    drop index ticket_end_user;
    create index ticket_end_user on ticket (customer_id, end_user_id nulls first, created_at, ticket_id);
    drop index ticket_rep;
    create index ticket_rep on ticket (customer_id, customer_rep_id nulls first, created_at, ticket_id);
  `)
})
