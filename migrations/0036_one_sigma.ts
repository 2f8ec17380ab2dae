import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Search texts use one small sigma only: the final ς is a different letter that capitals do not distinguish. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    /* all customers: a migration */
    update end_user set search_text = replace(search_text, 'ς', 'σ') where search_text like '%ς%'`
)
