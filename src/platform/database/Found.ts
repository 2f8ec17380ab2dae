import { Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"

/** Fails with 404 unless the repo found something. */
export const orNotFound =
  (message: string) =>
  <A, R>(found: Effect.Effect<Option.Option<A>, never, R>): Effect.Effect<A, NotFound, R> =>
    Effect.flatMap(found, Option.match({ onNone: () => NotFound.of(message), onSome: Effect.succeed }))

/** Fails with 404 unless the repo changed or found something. */
export const changedOrNotFound =
  (message: string) =>
  <E, R>(changed: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | NotFound, R> =>
    Effect.flatMap(changed, (did) => (did ? Effect.void : NotFound.of(message)))
