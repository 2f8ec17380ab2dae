import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { judge } from "./Findings.ts"
import { startLoad } from "./Load.ts"
import { type Fault, secondsSince, setStage } from "./Stage.ts"

/** The clocks of two nodes, alone and together, jump 26 hours ahead, then 26 hours behind, then to the true time. */
export const clockJumps: Fault = Effect.gen(function* () {
  const stage = yield* setStage({ nodes: 2, nodeArguments: ["--import", "./dist/test/faults/ClockPreload.js"] })
  const load = yield* startLoad(stage.target)
  const started = Date.now()
  const [first, second] = stage.nodes
  let slowest = 0
  const jumps = [[first], [second], [first, second], [first], [second]]
  for (const jumping of jumps) {
    yield* Effect.sleep(4000)
    for (const node of jumping) yield* node?.process().signal("SIGUSR2") ?? Effect.void
    const jumped = Date.now()
    const before = load.acknowledged()
    yield* eventually(Effect.sync(load.acknowledged), (now) => now >= before + 5, "2 minutes")
    slowest = Math.max(slowest, secondsSince(jumped))
  }
  const alarms = stage.nodes.flatMap(({ watch }, index) => {
    const times = watch.wronglyUnready(started, Date.now())
    return times > 0 ? [`node ${index + 1} not ready ${times} times although it could serve`] : []
  })
  const findings = yield* judge(stage.postgres, stage.outside, yield* load.end)
  const odd = yield* stage.postgres.query(`
    select 'ai_run' as place from ai_run where duration_ms < 0
    union all select 'job' from job where abs(extract(epoch from (updated_at - now()))) > 36000 and created_at > now() - interval '1 hour'
    union all select 'ticket_message' from ticket_message where message like 'case %' and abs(extract(epoch from (created_at - now()))) > 36000`)
  return {
    fault: "clocks of the nodes jump by 26 hours",
    rounds: jumps.length,
    ...findings,
    untruths: [...alarms, ...odd.map(({ place }) => `a wrong time in ${place}`)],
    recoveredAfter: slowest
  }
})
