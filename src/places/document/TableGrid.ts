import { makeAllowance } from "./Allowance.ts"
import type { Block, Cell } from "./HtmlBlocks.ts"

/** A place in a table: the start of a cell, a place covered by a cell above, or nothing at all. */
export type Place =
  | { readonly kind: "cell"; readonly cell: Cell; readonly columns: number; readonly isTall: boolean }
  | { readonly kind: "covered"; readonly columns: number }
  | { readonly kind: "empty"; readonly columns: number }

/** Word's limit. */
const mostColumns = 63

/** A cell that reaches down from a row above, and how many more rows it covers. */
interface Tall {
  readonly columns: number
  rows: number
}

/**
 * Lays out the cells of an HTML table so that every row has the same number of columns, as Word requires. Rows without
 * a cell of their own show nothing and are left out. A cell that would cover more places than are left becomes one row
 * high: each place that it covers is a cell of its own in Word.
 */
export const tableGrid = (
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  covering = makeAllowance()
): ReadonlyArray<ReadonlyArray<Place>> => {
  const shown = shownUpTo(rows)
  const above = new Map<number, Tall>()
  let last: Array<Block> = []

  const heightOf = (cell: Cell, row: number) => {
    const below = (shown[Math.min(row + cell.rows, rows.length)] ?? 0) - (shown[row + 1] ?? 0)
    if (below > covering.left) return 1
    covering.left -= below
    return 1 + below
  }

  const placesIn = (cells: ReadonlyArray<Cell>, row: number) => {
    const places: Array<Place> = []
    const starting: Array<readonly [number, Tall]> = []
    let column = 0
    const cover = (at: number, tall: Tall) => {
      if (at > column) places.push({ kind: "empty", columns: at - column })
      places.push({ kind: "covered", columns: tall.columns })
      tall.rows -= 1
      if (tall.rows === 0) above.delete(at)
      column = at + tall.columns
    }
    for (const cell of cells) {
      for (let tall = above.get(column); tall !== undefined; tall = above.get(column)) cover(column, tall)
      if (column >= mostColumns) {
        // Content beyond the last column that Word allows goes into the last cell.
        for (const block of cell.blocks) last.push(block)
        continue
      }
      let columns = 1
      while (columns < cell.columns && column + columns < mostColumns && !above.has(column + columns)) columns += 1
      const height = heightOf(cell, row)
      last = [...cell.blocks]
      places.push({ kind: "cell", cell: { ...cell, blocks: last }, columns, isTall: height > 1 })
      if (height > 1) starting.push([column, { columns, rows: height - 1 }])
      column += columns
    }
    const further = [...above].filter(([at]) => at >= column).sort(([one], [other]) => one - other)
    for (const [at, tall] of further) cover(at, tall)
    for (const [at, tall] of starting) above.set(at, tall)
    return places
  }

  const laidOut = rows.flatMap((cells, row) => (cells.length === 0 ? [] : [placesIn(cells, row)]))
  const widest = laidOut.reduce((most, places) => Math.max(most, columnsIn(places)), 0)
  return laidOut.map((places) => filledTo(widest, places))
}

/** For each row, the number of rows before it that have a cell of their own. */
const shownUpTo = (rows: ReadonlyArray<ReadonlyArray<Cell>>) => {
  const counts = [0]
  for (const [row, cells] of rows.entries()) counts.push((counts[row] ?? 0) + (cells.length === 0 ? 0 : 1))
  return counts
}

/** Fills a gap with one cell, however wide: otherwise one wide row would add many cells to thousands of short ones. */
const filledTo = (widest: number, places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  const missing = widest - columnsIn(places)
  return missing === 0 ? places : [...places, { kind: "empty", columns: missing }]
}

export const columnsIn = (row: ReadonlyArray<Place>) => row.reduce((sum, place) => sum + place.columns, 0)
