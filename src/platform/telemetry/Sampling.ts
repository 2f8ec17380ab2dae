import { Effect } from "effect"

// The registry of metrics is global, and so is this list.
const samplers = new Set<Effect.Effect<void>>()

/** Runs a sampler whenever the metrics are read, as long as the scope lasts. */
export const sampleBy = (sampler: Effect.Effect<void>) =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => samplers.add(sampler)),
      () => Effect.sync(() => samplers.delete(sampler))
    )
  )

/** Brings every sampled metric up to date. */
export const sample = Effect.suspend(() =>
  Effect.forEach([...samplers], (sampler) => sampler, { concurrency: "unbounded", discard: true })
)
