import { Effect, Random } from "effect"
import { judge } from "./Findings.ts"
import { startLoad } from "./Load.ts"
import { type Fault, setStage } from "./Stage.ts"

/** kill -9 at a random moment under load, one of two nodes each time; the dead one is started again. */
export const killedNodes = (rounds: number): Fault =>
  Effect.gen(function* () {
    const stage = yield* setStage({ nodes: 2 })
    const load = yield* startLoad(stage.target)
    let slowest = 0
    for (let round = 0; round < rounds; round++) {
      yield* Effect.sleep(yield* Random.nextIntBetween(100, 1500))
      const victim = stage.nodes[round % stage.nodes.length]
      if (victim === undefined) continue
      yield* victim.process().kill
      const killed = Date.now()
      yield* victim.restart
      slowest = Math.max(slowest, Date.now() - killed)
    }
    const ended = yield* load.end
    return {
      fault: "kill -9 of one of two nodes under load",
      rounds,
      ...(yield* judge(stage.postgres, stage.outside, ended)),
      untruths: [],
      recoveredAfter: slowest / 1000
    }
  })
