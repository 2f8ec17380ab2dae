import { SqlError } from "@effect/sql"
import { Cause, Data, Effect, Option } from "effect"

/** A unique index was violated. */
export class Duplicate extends Data.TaggedError("Duplicate")<{}> {}

/** A foreign key was violated: the id in that column is not one of the customer's. */
export class MissingReference extends Data.TaggedError("MissingReference")<{ readonly column: string }> {}

interface DatabaseError {
  readonly code: string
  readonly constraint: string
}

const databaseError = (error: unknown): DatabaseError | undefined => {
  if (!(error instanceof Error)) return undefined
  const { code, constraint } = { code: undefined, constraint: undefined, ...error }
  return typeof code === "string" && typeof constraint === "string" ? { code, constraint } : databaseError(error.cause)
}

/** Turns the violation of a unique index into Duplicate; all other errors become defects. */
export const failOnDuplicate = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Duplicate, R> =>
  Effect.catchAll(effect, (error) =>
    error instanceof SqlError.SqlError && databaseError(error)?.code === "23505"
      ? Effect.fail(new Duplicate())
      : Effect.die(error)
  )

/** Turns duplicates and ids that are not the customer's into typed errors; all other errors become defects. */
export const failOnViolation = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Duplicate | MissingReference, R> =>
  Effect.catchAll(effect, (error): Effect.Effect<never, Duplicate | MissingReference> => {
    const violation = error instanceof SqlError.SqlError ? databaseError(error) : undefined
    if (violation?.code === "23505") return Effect.fail(new Duplicate())
    // Composite keys are named table_customer_id_column_fkey by PostgreSQL.
    const column = violation?.code === "23503" ? /_customer_id_(\w+)_fkey$/.exec(violation.constraint)?.[1] : undefined
    return column === undefined ? Effect.die(error) : Effect.fail(new MissingReference({ column }))
  })

/** Returns PostgreSQL's code of the first database error in a cause, however deeply it is wrapped. */
export const sqlState = (cause: Cause.Cause<unknown>): Option.Option<string> => {
  const codeOf = (error: unknown): string | undefined =>
    error instanceof Error
      ? "code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)
        ? error.code
        : codeOf(error.cause)
      : undefined
  return Option.fromNullable(
    [...Cause.failures(cause), ...Cause.defects(cause)].map(codeOf).find((code) => code !== undefined)
  )
}
