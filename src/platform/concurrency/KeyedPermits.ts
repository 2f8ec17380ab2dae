import { Effect, type Scope } from "effect"

interface InUse {
  readonly semaphore: Effect.Semaphore
  /** How many callers have a permit or wait for one. */
  users: number
}

/**
 * Allows at most so many callers at once for each key, on this node; the others wait for their turn. With one permit it
 * is a lock. A key that is not in use is forgotten.
 */
export const makeKeyedPermits = (permits: number) =>
  Effect.sync(() => {
    const keys = new Map<string, InUse>()

    const enter = (key: string) =>
      Effect.sync(() => {
        const entry = keys.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(permits), users: 0 }
        keys.set(key, entry)
        entry.users += 1
        return entry
      })

    const leave = (key: string) => (entry: InUse) =>
      Effect.sync(() => {
        entry.users -= 1
        if (entry.users === 0) keys.delete(key)
      })

    const withPermit =
      (key: string) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.acquireUseRelease(enter(key), ({ semaphore }) => semaphore.withPermits(1)(effect), leave(key))

    return {
      withPermit,

      /** Takes a permit for each of the keys, always in the same order, so that two callers never deadlock. */
      withPermits:
        (wanted: ReadonlyArray<string>) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
          [...wanted].sort().reduce((inner, key) => withPermit(key)(inner), effect),

      /** Takes a permit that is released with the scope. */
      take: (key: string): Effect.Effect<void, never, Scope.Scope> =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const { semaphore } = yield* Effect.acquireRelease(enter(key), leave(key))
            yield* restore(semaphore.take(1))
            yield* Effect.addFinalizer(() => semaphore.release(1))
          })
        )
    }
  })
