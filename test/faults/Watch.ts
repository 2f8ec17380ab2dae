import { Effect } from "effect"
import { isReady } from "../support/ServiceProcess.ts"

interface Sample {
  readonly from: number
  readonly to: number
  readonly isReady: boolean
}

/** Looks at a node's readiness all the time, as a load balancer does. */
export const watch = (base: string) =>
  Effect.gen(function* () {
    const samples: Array<Sample> = []
    let latest = true
    const look = Effect.gen(function* () {
      const from = Date.now()
      const ready = yield* isReady(base)
      latest = ready
      samples.push({ from, to: Date.now(), isReady: ready })
    })
    yield* look.pipe(Effect.zipRight(Effect.sleep(150)), Effect.forever, Effect.forkScoped)
    const within = (from: number, to: number) => samples.filter((sample) => sample.from >= from && sample.to <= to)
    return {
      isReady: () => latest,
      /** How often the node said that it was ready during a time when it was not. */
      wronglyReady: (from: number, to: number) => within(from, to).filter((sample) => sample.isReady).length,
      wronglyUnready: (from: number, to: number) => within(from, to).filter((sample) => !sample.isReady).length,
      /** Milliseconds from a moment to the first time after it that the node said it was ready. */
      readyAfter: (moment: number) => {
        const first = samples.find((sample) => sample.from >= moment && sample.isReady)
        return first === undefined ? Number.POSITIVE_INFINITY : first.to - moment
      }
    }
  })

export type Watch = Effect.Effect.Success<ReturnType<typeof watch>>
