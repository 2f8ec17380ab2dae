import { Logger } from "effect"

const waiting: Array<string> = []

const write = () => {
  if (waiting.length === 0) return
  process.stdout.write(`${waiting.join("\n")}\n`)
  waiting.length = 0
}

// What is logged in the last moment is written, too.
process.on("exit", write)

// A disk that is full or a reader that is gone costs lines, not the service.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)

/** One line, with all others of a turn of the event loop in one call of the system. */
export const writeLine = (line: string) => {
  if (waiting.push(line) === 1) setImmediate(write)
}

/** Logs each entry as one line of JSON. */
export const jsonLines = Logger.map(Logger.jsonLogger, writeLine)

export const LogLines = Logger.replace(Logger.defaultLogger, jsonLines)
