import { setImmediate } from "node:timers/promises"

/** In milliseconds. Short enough that no other request notices it. */
const longest = 15

/** Joins the pieces of a text, and lets other work run in between, however long the text becomes. */
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
