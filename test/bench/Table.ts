export const ratio = (value: number) => value.toFixed(2)
export const rate = (value: number) => `${Math.round(value).toLocaleString("en")}/s`
export const milliseconds = (value: number) => `${value.toFixed(2)} ms`

/** A goal, marked when it is missed. */
export const judged = (goal: string, isMet: boolean) => (isMet ? goal : `${goal}, missed`)

/** Compares the value as printed. */
export const atLeast = (goal: number, value: number) =>
  judged(`at least ${goal.toFixed(1)}`, Number(ratio(value)) >= goal)
export const atMost = (goal: number, value: number) =>
  judged(`at most ${goal.toFixed(1)}`, Number(ratio(value)) <= goal)

const lineOf = (widths: ReadonlyArray<number>) => (cells: ReadonlyArray<string>) =>
  `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`

const ruleOf = (widths: ReadonlyArray<number>) => `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`

/** A table that can be pasted into the README. */
export const printTable = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = lineOf(widths)
  console.log([line(head), ruleOf(widths), ...rows.map(line), ""].join("\n"))
}

/** The same, but each row is printed as soon as it is known, so that an aborted run keeps what it measured. */
export const startTable = (head: ReadonlyArray<string>, widest: ReadonlyArray<string>) => {
  const widths = head.map((title, column) => Math.max(title.length, widest[column]?.length ?? 0))
  const line = lineOf(widths)
  console.log([line(head), ruleOf(widths)].join("\n"))
  return { row: (cells: ReadonlyArray<string>) => console.log(line(cells)), end: () => console.log("") }
}

export const widestOf = (texts: ReadonlyArray<string>) =>
  texts.reduce((widest, text) => (text.length > widest.length ? text : widest), "")
