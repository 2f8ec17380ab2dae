import { cpus } from "node:os"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Logger, LogLevel } from "effect"
import { printTable } from "../bench/Table.ts"
import { aiProviderFaults } from "./AiProviderFaults.ts"
import { clockJumps } from "./ClockJumps.ts"
import { databaseAway, databaseVanished, slowDatabase } from "./DatabaseFaults.ts"
import { fullDisk } from "./FullDisk.ts"
import { killedMail } from "./KilledMail.ts"
import { killedNodes } from "./KilledNodes.ts"
import { mailProviderFaults } from "./MailProviderFaults.ts"
import { pausedNode } from "./PausedNode.ts"
import { rollingRestart } from "./RollingRestart.ts"
import { sharedMemory } from "./SharedMemory.ts"
import type { Fault, Row } from "./Stage.ts"

const faults: Readonly<Record<string, Fault>> = {
  kill: killedNodes(50),
  pause: pausedNode(2, 60),
  rolling: rollingRestart(1),
  restart: databaseAway("database restarted under load", 4, 0),
  gone: databaseAway("database gone for 30 s", 1, 30),
  vanished: databaseVanished(30),
  slow: slowDatabase,
  disk: fullDisk,
  ai: aiProviderFaults,
  graph: mailProviderFaults,
  mail: killedMail(20),
  clock: clockJumps,
  memory: sharedMemory
}

const count = (found: ReadonlyArray<string>) => String(found.length)

const cells = (row: Row) => [
  row.fault,
  String(row.rounds),
  String(row.acknowledged),
  count(row.lost),
  count(row.doubled),
  row.untruths.length === 0 ? "true" : row.untruths.join("; "),
  row.recoveredAfter === "by hand" ? row.recoveredAfter : `${row.recoveredAfter.toFixed(1)} s`,
  row.notes.join(", ")
]

const isGood = ({ doubled, lost, untruths }: Row) => lost.length + doubled.length + untruths.length === 0

const mostLines = 20

/** The details of what was wrong, which the table only counts. */
const explain = ({ doubled, fault, lost, untruths }: Row) =>
  [
    ...lost.map((what) => `lost: ${what}`),
    ...doubled.map((what) => `doubled: ${what}`),
    ...untruths.map((what) => `untrue: ${what}`)
  ]
    .slice(0, mostLines)
    .map((line) => `${fault}: ${line}`)

const main = Effect.gen(function* () {
  const wanted = process.argv.slice(2)
  const unknown = wanted.find((name) => !Object.hasOwn(faults, name))
  if (unknown !== undefined) {
    console.error(`There is no fault ${unknown}. There is: ${Object.keys(faults).join(", ")}.`)
    process.exitCode = 1
    return
  }
  const rows: Array<Row> = []
  for (const [name, fault] of Object.entries(faults)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    process.stderr.write(`${name} …\n`)
    const exit = yield* Effect.exit(Effect.scoped(fault))
    if (Exit.isSuccess(exit)) {
      rows.push(exit.value)
      for (const line of explain(exit.value)) process.stderr.write(`  ${line}\n`)
    } else process.stderr.write(`  did not come to an end: ${Cause.pretty(exit.cause)}\n`)
    if (!Exit.isSuccess(exit) || !isGood(exit.value)) process.exitCode = 1
  }
  printTable(
    ["fault", "rounds", "acknowledged", "lost", "doubled", "readiness", "serves again", "notes"],
    rows.map(cells)
  )
  console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, Node.js ${process.version}`)
})

NodeRuntime.runMain(main.pipe(Logger.withMinimumLogLevel(LogLevel.None)))
