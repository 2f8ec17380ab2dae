import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { judge } from "./Findings.ts"
import { startLoad } from "./Load.ts"
import { type Fault, type Stage, secondsSince, setStage } from "./Stage.ts"

// A check may have been under way when the database went away, and readiness takes up to 2 seconds to say no.
const onTheWay = 3000

const untilReady = (stage: Stage, since: number) =>
  eventually(
    Effect.sync(() => stage.nodes.map(({ watch }) => watch.readyAfter(since))),
    (all) => all.every(Number.isFinite),
    "1 minute"
  )

/** The seconds from now until all nodes are ready and so many more cases are acknowledged. */
const secondsUntilServing = (stage: Stage, load: { readonly acknowledged: () => number }, served = 6) =>
  Effect.gen(function* () {
    const back = Date.now()
    yield* untilReady(stage, back)
    const before = load.acknowledged()
    yield* eventually(Effect.sync(load.acknowledged), (now) => now >= before + served, "1 minute")
    return secondsSince(back)
  })

const whileAway = (stage: Stage, from: number, to: number) =>
  stage.nodes.flatMap(({ watch }, index) => {
    const lies = watch.wronglyReady(from, to)
    return lies > 0 ? [`node ${index + 1} ready ${lies} times without a database`] : []
  })

/** The database stops, in turns by a fast shutdown and as in a crash, and comes back after so many seconds. */
export const databaseAway = (fault: string, rounds: number, seconds: number): Fault =>
  Effect.gen(function* () {
    const stage = yield* setStage({ nodes: 2 })
    const load = yield* startLoad(stage.target)
    const untruths: Array<string> = []
    let slowest = 0
    for (let round = 0; round < rounds; round++) {
      yield* Effect.sleep(2000)
      yield* stage.postgres.stop(round % 2 === 0 ? "fast" : "immediate")
      const gone = Date.now()
      yield* Effect.sleep(seconds * 1000)
      untruths.push(...whileAway(stage, gone, Date.now()))
      yield* stage.postgres.start
      slowest = Math.max(slowest, yield* secondsUntilServing(stage, load, 1))
    }
    const ended = yield* load.end
    return {
      fault,
      rounds,
      ...(yield* judge(stage.postgres, stage.outside, ended)),
      untruths,
      recoveredAfter: slowest
    }
  })

/** The database host vanishes without a word, as in a power cut, and another one takes its place after a while. */
export const databaseVanished = (seconds: number): Fault =>
  Effect.gen(function* () {
    const stage = yield* setStage({ nodes: 2 })
    const load = yield* startLoad(stage.target)
    yield* Effect.sleep(3000)
    yield* stage.proxy.vanish
    const gone = Date.now() + onTheWay
    yield* Effect.sleep(seconds * 1000)
    const untruths = whileAway(stage, gone, Date.now())
    yield* stage.proxy.comeBack
    const recoveredAfter = yield* secondsUntilServing(stage, load)
    const ended = yield* load.end
    return {
      fault: `database host vanished for ${seconds} s`,
      rounds: 1,
      ...(yield* judge(stage.postgres, stage.outside, ended)),
      untruths,
      recoveredAfter
    }
  })

/** Every byte to and from the database is delayed: first so that all still works, then so that nothing does. */
export const slowDatabase: Fault = Effect.gen(function* () {
  const stage = yield* setStage({ nodes: 2 })
  const load = yield* startLoad(stage.target)
  yield* stage.proxy.delayBy(100)
  const slowed = Date.now()
  yield* Effect.sleep(15_000)
  const untruths = stage.nodes.flatMap(({ watch }, index) => {
    const alarms = watch.wronglyUnready(slowed, Date.now())
    return alarms > 0 ? [`node ${index + 1} not ready ${alarms} times although it could serve`] : []
  })
  const done = load.acknowledged()
  yield* stage.proxy.delayBy(5000)
  const stuck = Date.now() + onTheWay
  yield* Effect.sleep(20_000)
  untruths.push(...whileAway(stage, stuck, Date.now()))
  yield* stage.proxy.delayBy(0)
  const recoveredAfter = yield* secondsUntilServing(stage, load)
  const ended = yield* load.end
  const findings = yield* judge(stage.postgres, stage.outside, ended)
  return {
    fault: "database slow: 200 ms, then 10 s a round trip",
    rounds: 1,
    ...findings,
    notes: [`${done} acknowledged while slow`, ...findings.notes],
    untruths,
    recoveredAfter
  }
})
