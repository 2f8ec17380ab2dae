import { Effect } from "effect"

/** At most so many at once for each key that is in use right now, on this node; the others wait for their turn. */
export const makeKeyedPermits = (permits: number) =>
  Effect.sync(() => {
    const inUse = new Map<string, { readonly semaphore: Effect.Semaphore; users: number }>()
    return (key: string) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            const entry = inUse.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(permits), users: 0 }
            inUse.set(key, entry)
            entry.users += 1
            return entry
          }),
          ({ semaphore }) => semaphore.withPermits(1)(effect),
          (entry) =>
            Effect.sync(() => {
              entry.users -= 1
              if (entry.users === 0) inUse.delete(key)
            })
        )
  })
