import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Every search reads the index's whole pending list: with 4 MB this took thirty times as long as the search
    -- itself.
    alter index end_user_search set (gin_pending_list_limit = 128);
    alter index ticket_subject set (gin_pending_list_limit = 128);
    alter index ticket_message_text set (gin_pending_list_limit = 128);
    alter index place_description_report_search set (gin_pending_list_limit = 128);

    -- The planner tries the search words on every sample: a hundred samples took longer than the search.
    alter table end_user alter column search_text set statistics 10;
    alter table ticket alter column subject set statistics 10;
    alter table ticket_message alter column message set statistics 10;
    alter table place_description_report alter column search_text set statistics 10;
  `)
})
