import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type { Effect } from "effect"

/** Ctrl-C comes from the terminal and, a moment later, once more from npm: both are one wish (ms). */
const oneWish = 2000

/** The runtime hears the first signal only: another one would end the process in the middle of its work. */
const hearAll = () => {
  let firstAt: number | undefined
  const hear = (signal: NodeJS.Signals) => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt < oneWish) return
    // Somebody insists.
    process.off(signal, hear)
    process.kill(process.pid, signal)
  }
  process.on("SIGINT", hear)
  process.on("SIGTERM", hear)
}

/** Runs a program until it ends or is told to stop; it says itself why it failed. */
export const runMain = <E, A>(program: Effect.Effect<A, E>) => {
  hearAll()
  NodeRuntime.runMain(program, { disableErrorReporting: true, disablePrettyLogger: true })
}
