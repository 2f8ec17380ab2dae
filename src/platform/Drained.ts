import type { EventEmitter } from "node:events"
import { Effect } from "effect"

/**
 * Waits until more can be written, or never again. Whether it still has to is asked when it listens: between any two
 * steps of a fiber others may come, and what waited may be gone by then.
 */
export const untilDrained = (to: EventEmitter, mustWait: () => boolean): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (!mustWait()) return resume(Effect.void)
    const stop = () => void to.off("drain", done).off("close", done)
    const done = () => {
      stop()
      resume(Effect.void)
    }
    to.on("drain", done).on("close", done)
    return Effect.sync(stop)
  })
