import { Logger } from "effect"

const waiting: Array<string> = []

const write = () => {
  if (waiting.length === 0) return
  process.stdout.write(`${waiting.join("\n")}\n`)
  waiting.length = 0
}

// Lines logged right before the exit are written, too.
process.on("exit", write)

// A full disk or a closed pipe costs lines, not the service.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)

/** Writes a line, together with all others of the same turn of the event loop in one system call. */
export const writeLine = (line: string) => {
  if (waiting.push(line) === 1) setImmediate(write)
}

/** Logs each entry as one line of JSON. */
export const jsonLines = Logger.map(Logger.jsonLogger, writeLine)

export const LogLines = Logger.replace(Logger.defaultLogger, jsonLines)
