import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { hourly } from "./Hourly.ts"

/** Removes what has run out and nobody may use any more. */
export const Housekeeping = hourly(
  "housekeeping",
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.all(
      [
        sql`/* all customers: old answers */ delete from idempotency where created_at < now() - interval '24 hours'`,
        sql`/* all customers: old tokens */ delete from password_reset where expires_at < now()`,
        sql`/* all customers: of nodes that are gone */
        delete from hub_presence where seen_at < now() - interval '10 minutes'`,
        sql`delete from attempt where last_failure < now() - interval '1 hour'`,
        sql`delete from mailbox_turn where ends_at < now() - interval '1 hour'`,
        sql`delete from mailbox_wish where ends_at < now() - interval '1 hour'`,
        sql`delete from mailbox_pause where ends_at < now() - interval '1 hour'`,
        sql`/* all customers: finished work */
        delete from job where status in ('Succeeded', 'Failed') and updated_at < now() - interval '30 days'`
      ],
      // One that fails does not keep the others.
      { mode: "validate" }
    )
  )
)
