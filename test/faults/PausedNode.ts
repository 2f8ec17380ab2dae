import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { judge } from "./Findings.ts"
import { startLoad } from "./Load.ts"
import { type Fault, secondsSince, setStage } from "./Stage.ts"

/** A node is paused in the middle of its work for so long that others take it over, and then goes on where it was. */
export const pausedNode = (rounds: number, seconds: number): Fault =>
  Effect.gen(function* () {
    const stage = yield* setStage({ nodes: 2 })
    const [victim] = stage.nodes
    if (victim === undefined) return yield* Effect.dieMessage("There is no node")
    const load = yield* startLoad(stage.target)
    let slowest = 0
    const untruths: Array<string> = []
    for (let round = 0; round < rounds; round++) {
      const before = load.acknowledged()
      yield* eventually(Effect.sync(load.acknowledged), (now) => now >= before + 10, "2 minutes")
      const paused = Date.now()
      yield* victim.process().signal("SIGSTOP")
      yield* Effect.sleep(seconds * 1000)
      // A paused node answers nobody, which is how a load balancer notices.
      const lies = victim.watch.wronglyReady(paused + 100, Date.now())
      if (lies > 0) untruths.push(`ready ${lies} times while paused`)
      const resumed = Date.now()
      yield* victim.process().signal("SIGCONT")
      yield* eventually(
        Effect.sync(() => victim.watch.readyAfter(resumed)),
        Number.isFinite,
        "1 minute"
      )
      slowest = Math.max(slowest, secondsSince(resumed))
    }
    const ended = yield* load.end
    const findings = yield* judge(stage.postgres, stage.outside, ended)
    const takenOver = victim.process().output().split('"job lost"').length - 1
    return {
      fault: `SIGSTOP of one of two nodes for ${seconds} s`,
      rounds,
      ...findings,
      notes: [`${takenOver} jobs taken over from it`, ...findings.notes],
      untruths,
      recoveredAfter: slowest
    }
  })
