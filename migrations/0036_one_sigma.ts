import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What a search looks through has one small sigma: that of a word's end is another letter, and not there in capitals. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    /* all customers: a migration */
    update end_user set search_text = replace(search_text, 'ς', 'σ') where search_text like '%ς%'`
)
