import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { Effect } from "effect"

/** Ctrl-C arrives from the terminal and again from npm a moment later; within this time (ms) they count as one. */
const oneWish = 2000

/** The runtime handles only the first signal: a second one would end the process in the middle of its work. */
const hearAll = () => {
  let firstAt: number | undefined
  const hear = (signal: NodeJS.Signals) => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt < oneWish) return
    // The user insists: let the signal end the process.
    process.off(signal, hear)
    process.kill(process.pid, signal)
  }
  process.on("SIGINT", hear)
  process.on("SIGTERM", hear)
}

/** Runs a program until it ends or is told to stop; the program reports its own failures. */
export const runMain = <E, A>(program: Effect.Effect<A, E>) => {
  hearAll()
  NodeRuntime.runMain(program, { disableErrorReporting: true, disablePrettyLogger: true })
}
