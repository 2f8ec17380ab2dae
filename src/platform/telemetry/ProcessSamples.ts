import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect, Layer } from "effect"
import { sampleBy } from "./Sampling.ts"
import { buildInfo, cpuSeconds, eventLoopLag, heapUsed, residentMemory, startTime } from "./ServiceMetrics.ts"
import { version } from "./Version.ts"

const resolution = 20

const countedCpu = { seconds: 0 }

/** Samples memory, processor time and the lag of the event loop. */
export const ProcessSamples = Layer.scopedDiscard(
  Effect.gen(function* () {
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const monitor = monitorEventLoopDelay({ resolution })
        monitor.enable()
        return monitor
      }),
      (monitor) => Effect.sync(() => monitor.disable())
    )
    buildInfo.set(1, { version })
    startTime.set(Math.round(Date.now() / 1000 - process.uptime()))
    yield* sampleBy(
      Effect.sync(() => {
        const { heapUsed: heap, rss } = process.memoryUsage()
        residentMemory.set(rss)
        heapUsed.set(heap)
        const { system, user } = process.cpuUsage()
        const used = (system + user) / 1e6
        cpuSeconds.add({}, used - countedCpu.seconds)
        countedCpu.seconds = used
        // The monitor includes its own interval; if it has measured nothing since the last sample, there is nothing to
        // report.
        const late = delay.count === 0 ? 0 : Math.max(0, delay.percentile(99) / 1e9 - resolution / 1000)
        eventLoopLag.set(late)
        delay.reset()
      })
    )
  })
)
