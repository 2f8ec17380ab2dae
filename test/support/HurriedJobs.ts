import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Lets the next attempts of Acme's jobs of a kind be due at once, however long they were to wait. */
export const hurry = (kind: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update job set due_at = now() where customer_id = 1 and kind = ${kind} and status = 'Queued'`
  )
