import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { onOneNode } from "./Periodically.ts"

/**
 * How long the rows of a table are kept. A table that keeps them for longer than a day has an index on their age,
 * unless they are rare.
 */
export interface Retention {
  readonly table: string
  readonly since: string
  readonly for: string
  /** Which of the old rows are removed; all by default. */
  readonly where?: string
}

// Removing this many rows takes far less time than a statement may.
const rowsAtOnce = 5000

const removeOld = ({ for: time, since, table, where = "true" }: Retention) =>
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

/** Removes rows whose retention is over. */
export const removingOld = (retentions: ReadonlyArray<Retention>) =>
  Layer.scopedDiscard(
    // A table that fails does not hold up the others.
    onOneNode("housekeeping", 60, Effect.validateAll(retentions, removeOld, { discard: true }))
  )
