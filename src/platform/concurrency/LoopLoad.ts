import { performance } from "node:perf_hooks"

// In milliseconds; a shorter measurement says little.
const shortestSpell = 50

/** Measures how busy this process has been of late, from 0 to 1. */
export const makeLoopLoad = () => {
  let before = performance.eventLoopUtilization()
  let load = 0
  return () => {
    const { active, idle, utilization } = performance.eventLoopUtilization(before)
    if (active + idle >= shortestSpell) {
      before = performance.eventLoopUtilization()
      load = utilization
    }
    return load
  }
}
