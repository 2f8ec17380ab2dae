import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- A run stays when its message is deleted: otherwise the same reason would start it again, and the runs that it
    -- caused would be deleted as well. The actions themselves are deleted with their message.
    alter table automation_run
      drop constraint automation_run_customer_id_ticket_message_id_fkey,
      add foreign key (customer_id, ticket_message_id)
        references ticket_message (customer_id, ticket_message_id) on delete set null (ticket_message_id),
      -- The actions, so that none runs twice in a chain, whatever has been deleted since.
      add column action_ids int[] not null default '{}';
    update automation_run r set action_ids = array(
      select a.action_id from message_action a where a.customer_id = r.customer_id
        and a.automation_run_id = r.automation_run_id and a.action_id is not null);
  `)
})
