import type { Cell } from "./HtmlBlocks.ts"

/** A place in a table: the start of a cell, what a cell above covers, or nothing at all. */
export type Place =
  | { readonly kind: "cell"; readonly cell: Cell; readonly columns: number; readonly isTall: boolean }
  | { readonly kind: "covered"; readonly columns: number }
  | { readonly kind: "empty"; readonly columns: number }

/** Word takes no more. */
const mostColumns = 63

/** Lays the cells of an HTML table out so that every row has the same number of columns, as Word demands. */
export const tableGrid = (rows: ReadonlyArray<ReadonlyArray<Cell>>): ReadonlyArray<ReadonlyArray<Place>> => {
  const taken: Array<Map<number, Place | undefined>> = rows.map(() => new Map())
  let widest = 0
  for (const [row, cells] of rows.entries()) {
    let column = 0
    for (const cell of cells) {
      while (taken[row]?.has(column)) column += 1
      if (column >= mostColumns) break
      const height = Math.min(cell.rows, rows.length - row)
      let width = 1
      const isFree = (at: number) => at < mostColumns && taken[row]?.has(at) !== true
      while (width < cell.columns && isFree(column + width)) width += 1
      for (let below = row; below < row + height; below += 1) {
        const start: Place =
          below === row
            ? { kind: "cell", cell, columns: width, isTall: height > 1 }
            : { kind: "covered", columns: width }
        // A cell further down never stands where one from above has come first.
        for (let at = column; at < column + width; at += 1) taken[below]?.set(at, at === column ? start : undefined)
      }
      column += width
      widest = Math.max(widest, column)
    }
  }
  return taken.map((row) => withoutGaps(row, widest))
}

/** One cell fills a gap however wide it is: a wide row among thousands of short ones would make them all wide. */
const withoutGaps = (row: ReadonlyMap<number, Place | undefined>, widest: number): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  let column = 0
  const fillTo = (end: number) => {
    if (end > column) places.push({ kind: "empty", columns: end - column })
  }
  for (const [at, place] of [...row].sort(([one], [other]) => one - other)) {
    fillTo(at)
    column = at + 1
    if (place !== undefined) places.push(place)
  }
  fillTo(widest)
  return places
}

export const columnsIn = (row: ReadonlyArray<Place>) => row.reduce((sum, place) => sum + place.columns, 0)
