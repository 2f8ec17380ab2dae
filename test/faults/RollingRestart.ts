import { Effect } from "effect"
import { judge } from "./Findings.ts"
import { startLoad } from "./Load.ts"
import { type Fault, secondsSince, setStage } from "./Stage.ts"

/** Every node is stopped and started again, one after the other, while requests keep coming. */
export const rollingRestart = (rounds: number): Fault =>
  Effect.gen(function* () {
    const stage = yield* setStage({ nodes: 3, env: { DRAIN_SECONDS: "3" } })
    const load = yield* startLoad(stage.target)
    const untruths: Array<string> = []
    let slowest = 0
    for (let round = 0; round < rounds; round++) {
      for (const node of stage.nodes) {
        const told = Date.now()
        const code = yield* node.process().stop
        // A check that was under way may still be told that it is ready, but no later one.
        const lies = node.watch.wronglyReady(told + 100, Date.now())
        if (lies > 0) untruths.push(`ready ${lies} times after it was told to stop`)
        if (code !== 0 && code !== 130 && code !== 143) untruths.push(`ended with ${code}`)
        const stopped = Date.now()
        yield* node.restart
        slowest = Math.max(slowest, secondsSince(stopped))
      }
    }
    const ended = yield* load.end
    const findings = yield* judge(stage.postgres, stage.outside, ended)
    const errors = [...ended.tally.statuses].filter(([status]) => status >= 500)
    return {
      fault: "rolling restart of three nodes under load",
      rounds,
      ...findings,
      lost: [...findings.lost, ...errors.map(([status, times]) => `${times} answers with ${status}`)],
      untruths,
      recoveredAfter: slowest
    }
  })
