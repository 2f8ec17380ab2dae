import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { outboxDays } from "../Outbox.ts"
import { onOneNode } from "./Periodically.ts"

// They take far less time than a statement may.
const rowsAtOnce = 5000

interface Kept {
  readonly table: string
  readonly since: string
  readonly for: string
  /** Other rows stay. */
  readonly where?: string
}

// What is kept for longer than a day has an index by its age, unless it is rare.
const kept: ReadonlyArray<Kept> = [
  { table: "idempotency", since: "created_at", for: "24 hours" },
  { table: "password_reset", since: "expires_at", for: "0 hours" },
  // Of nodes that are gone.
  { table: "hub_presence", since: "seen_at", for: "10 minutes" },
  { table: "attempt", since: "last_failure", for: "1 hour" },
  { table: "mailbox_turn", since: "ends_at", for: "1 hour" },
  { table: "mailbox_wish", since: "ends_at", for: "1 hour" },
  { table: "mailbox_pause", since: "ends_at", for: "1 hour" },
  // Twice as long as the longest token lives.
  { table: "removed_customer", since: "removed_at", for: "24 hours" },
  // Of drafts whose end nobody noted. A job that still waits, for however long, may come for them.
  {
    table: "draft_call",
    since: "begun_at",
    for: "1 hour",
    where: "not exists (select from job where job_id = draft_call.work and status in ('Queued', 'Running'))"
  },
  // Mail that nobody came for.
  { table: "outbox_mail", since: "created_at", for: `${outboxDays} days` },
  { table: "job", since: "updated_at", for: "30 days", where: "status in ('Succeeded', 'Failed')" }
]

const removeOld = ({ for: time, since, table, where = "true" }: Kept) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      /* all customers: what has run out */
      delete from ${sql(table)} where ctid = any(array(
        select ctid from ${sql(table)}
        where ${sql.literal(where)} and ${sql(since)} < now() - ${time}::interval
        order by ${sql(since)} limit ${rowsAtOnce} for update skip locked))
      returning 1`
  ).pipe(Effect.repeat({ while: ({ length }) => length === rowsAtOnce }))

/** Removes what has run out and nobody may use any more. */
export const Housekeeping = Layer.scopedDiscard(
  // One that fails does not keep the others.
  onOneNode("housekeeping", 60, Effect.validateAll(kept, removeOld, { discard: true }))
)
