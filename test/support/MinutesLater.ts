import { Effect } from "effect"
import { vi } from "vitest"

/** With the wall clock that much ahead, or behind when it is less than none; the service runs in this process. */
export const minutesLater =
  (minutes: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const real = Date.now
        return vi.spyOn(Date, "now").mockImplementation(() => real() + minutes * 60_000)
      }),
      () => effect,
      (shifted) => Effect.sync(() => shifted.mockRestore())
    )
