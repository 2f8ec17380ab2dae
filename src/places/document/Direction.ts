import { makeAllowance } from "./Allowance.ts"
import type { Run } from "./HtmlBlocks.ts"
import type { Place } from "./TableGrid.ts"

const scripts = "Hebrew Arabic Syriac Thaana Nko Samaritan Mandaic Adlam Hanifi_Rohingya Yezidi".split(" ")

const rightToLeft = scripts.map((script) => `\\p{Script=${script}}`).join("")

/** A letter that is written from right to left, and one that is not. */
const [backward, forward] = [`(?=\\p{L})[${rightToLeft}]`, `(?![${rightToLeft}])\\p{L}`]

const firstLetter = /\p{L}/u

const isBackward = new RegExp(backward, "u")

/** Whether a text runs right to left: its first letter decides. */
const goesBackward = (text: string) => isBackward.test(firstLetter.exec(text)?.[0] ?? "")

/** Letters of one direction, with everything between them. */
const stretches = {
  backward: new RegExp(`${backward}(?:\\P{L}*${backward})*`, "gu"),
  forward: new RegExp(`${forward}(?:\\P{L}*${forward})*`, "gu")
}

interface Stretch {
  readonly text: string
  readonly isBackward: boolean
}

/**
 * Cuts a text where its direction changes. Characters without a direction follow the paragraph, and so does all the
 * rest once no more changes are allowed: each change is a run of its own in Word, many times as long as its letter.
 */
export const stretchesOf = (text: string, inBackward: boolean, turns = makeAllowance()): ReadonlyArray<Stretch> => {
  const result: Array<Stretch> = []
  let end = 0
  const put = (piece: string, isBackward: boolean) => {
    if (piece !== "") result.push({ text: piece, isBackward })
  }
  for (const { 0: piece, index } of text.matchAll(inBackward ? stretches.forward : stretches.backward)) {
    if (turns.left === 0) break
    turns.left -= 1
    put(text.slice(end, index), inBackward)
    put(piece, !inBackward)
    end = index + piece.length
  }
  put(text.slice(end), inBackward)
  return result
}

/** Whether a paragraph runs right to left; a text without letters runs left to right. */
export const runsGoBackward = (runs: ReadonlyArray<Run>) => goesBackward(lettersOf(runs))

/** The text of the first run with a letter. */
const lettersOf = (runs: ReadonlyArray<Run>) => {
  const run = runs.find((one) => one !== "break" && firstLetter.test(one.text))
  return run === undefined || run === "break" ? "" : run.text
}

/** Whether a table runs right to left: its first letter decides, not counting nested tables. */
export const tableGoesBackward = (rows: ReadonlyArray<ReadonlyArray<Place>>) => {
  for (const place of rows.flat()) {
    const blocks = place.kind === "cell" ? place.cell.blocks : []
    const letters = blocks.map((block) => (block.kind === "table" ? "" : lettersOf(block.runs)))
    const first = letters.find((text) => text !== "")
    if (first !== undefined) return goesBackward(first)
  }
  return false
}
