import { setImmediate } from "node:timers/promises"

/** In milliseconds. Short enough that nobody else who is served notices it. */
const longest = 15

/** Puts the pieces of a text together, and lets others have their turn in between, however long it becomes. */
export const inSlices = async function* (pieces: Iterable<string>, signal: AbortSignal) {
  let slice = ""
  let end = performance.now() + longest
  for (const piece of pieces) {
    slice += piece
    if (performance.now() < end) continue
    yield slice
    slice = ""
    await setImmediate(undefined, { signal })
    end = performance.now() + longest
  }
  yield slice
}
