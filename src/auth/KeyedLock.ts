import { Effect } from "effect"

/** A mutex for each key that is in use right now, on this node. */
export const makeKeyedLock = Effect.sync(() => {
  const locks = new Map<string, { readonly mutex: Effect.Semaphore; users: number }>()
  const withKey =
    (key: string) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const lock = locks.get(key) ?? { mutex: Effect.unsafeMakeSemaphore(1), users: 0 }
          locks.set(key, lock)
          lock.users += 1
          return lock
        }),
        (lock) => lock.mutex.withPermits(1)(effect),
        (lock) =>
          Effect.sync(() => {
            lock.users -= 1
            if (lock.users === 0) locks.delete(key)
          })
      )
  // Always in the same order, so that two never wait for each other.
  return (keys: ReadonlyArray<string>) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      [...keys].sort().reduce((inner, key) => withKey(key)(inner), effect)
})
