import type { EventEmitter } from "node:events"
import { Effect } from "effect"

/**
 * Waits until more can be written, or nothing ever can be again. `mustWait` is checked as the listeners are added:
 * other fibers may have run in between, and there may be nothing left to wait for.
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
