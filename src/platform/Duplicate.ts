import { SqlError } from "@effect/sql"
import { Cause, Data, Effect, Option } from "effect"
import { sqlState } from "./http/ErrorResponse.ts"

/** A unique index said no. */
export class Duplicate extends Data.TaggedError("Duplicate")<{}> {}

/** Tells a duplicate from every other database error; those are defects. */
export const failOnDuplicate = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Duplicate, R> =>
  Effect.catchAll(effect, (error) =>
    error instanceof SqlError.SqlError && Option.contains(sqlState(Cause.fail(error)), "23505")
      ? Effect.fail(new Duplicate())
      : Effect.die(error)
  )
