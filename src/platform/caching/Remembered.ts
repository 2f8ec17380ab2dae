/**
 * Remembers a value for each key for a while after it was learnt. Times may come from any clock that never goes back.
 */
export const makeRemembered = <Key, Value>(howLong: number) => {
  // Keys are in the order in which they were learnt.
  const known = new Map<Key, { readonly value: Value; readonly learntAt: number }>()
  return {
    get: (key: Key): Value | undefined => known.get(key)?.value,
    has: (key: Key) => known.has(key),
    learn: (key: Key, value: Value, now: number) => {
      known.delete(key)
      known.set(key, { value, learntAt: now })
    },
    /** Forgets what was learnt too long ago, without looking at the rest. */
    forget: (now: number) => {
      for (const [key, { learntAt }] of known) {
        if (now - learntAt <= howLong) return
        known.delete(key)
      }
    }
  }
}
