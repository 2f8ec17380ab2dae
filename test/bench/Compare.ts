import { inTurns, type Meter } from "./Load.ts"
import type { Server } from "./Servers.ts"
import { atLeast, rate, ratio, startTable, widestOf } from "./Table.ts"

/** Something that Casework, the twin and the bare server all do. */
export interface Contest {
  readonly name: string
  readonly open: (base: string) => Promise<Meter>
  /** The ratio to the twin's rate, and to the bare server's, that is the goal. */
  readonly toTwin: number
  readonly toBare?: number
}

export const reads = { toTwin: 1, toBare: 0.7 } as const
export const writes = { toTwin: 1 } as const

export interface Servers {
  readonly casework: Server
  readonly twin: Server
  readonly bare: Server
}

const rounds = 5

/** Prints one table of ratios, row by row. */
export const compare = async (
  { bare, casework, twin }: Servers,
  contests: ReadonlyArray<Contest>,
  twinName: string
) => {
  const table = startTable(
    ["32 connections", "Casework", twinName, "node:http", "to twin", "goal", "to node:http", "goal"],
    [widestOf(contests.map(({ name }) => name)), "", "", "", "", "at least 1.0, missed", "", "at least 0.7, missed"]
  )
  for (const { name, open, toBare, toTwin } of contests) {
    const meters: Array<Meter> = []
    for (const { base } of [casework, twin, bare]) meters.push(await open(base))
    for (const { warm } of meters) await warm()
    const [ours = 0, theirs = 0, limit = 0] = await inTurns(
      meters.map(({ round }) => round),
      rounds
    )
    for (const { end } of meters) await end()
    table.row([
      name,
      rate(ours),
      rate(theirs),
      rate(limit),
      ratio(ours / theirs),
      atLeast(toTwin, ours / theirs),
      ratio(ours / limit),
      toBare === undefined ? "" : atLeast(toBare, ours / limit)
    ])
  }
  table.end()
}
