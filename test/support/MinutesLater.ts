import { Effect } from "effect"
import { vi } from "vitest"

/** Runs an effect with the wall clock this far ahead, or behind if negative; the service runs in this process. */
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
