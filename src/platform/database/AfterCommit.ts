import { Context, Effect } from "effect"

/** Does what belongs behind the transaction that a request may be in, and only when it commits; without one, at once. */
export class AfterCommit extends Context.Reference<AfterCommit>()("casework/AfterCommit", {
  defaultValue:
    () =>
    (effect: Effect.Effect<void>): Effect.Effect<void> =>
      effect
}) {}

/** Runs a transaction and then what was left for after it. One that starts over begins with nothing left. */
export const withAfterCommit = <A, E, R, E2, R2>(
  work: Effect.Effect<A, E, R>,
  transact: (work: Effect.Effect<A, E, R>) => Effect.Effect<A, E2, R2>
): Effect.Effect<A, E2, R2> =>
  Effect.suspend(() => {
    let left: Effect.Effect<void> = Effect.void
    const begun = Effect.suspend(() => {
      left = Effect.void
      return Effect.provideService(work, AfterCommit, (effect) =>
        Effect.sync(() => {
          left = Effect.zipRight(left, effect)
        })
      )
    })
    return Effect.zipLeft(
      transact(begun),
      Effect.suspend(() => left)
    )
  })
