import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { Console, Deferred, Effect, Option } from "effect"
import { Refused } from "../admin/Refused.ts"
import { inOneLine } from "../KnownError.ts"
import { keptSecret } from "../platform/settings/KeptSecrets.ts"
import { runMain } from "../RunMain.ts"
import { firstPortOf } from "./FirstPort.ts"

const mostNodes = 20

const setting = (name: string) => Option.filter(Option.fromNullable(process.env[name]), (value) => value !== "")

const wantedNodes = Effect.suspend(() => {
  const [given = "3"] = process.argv.slice(2)
  const wanted = Number(given)
  return /^\d{1,2}$/.test(given) && wanted >= 1 && wanted <= mostNodes
    ? Effect.succeed(wanted)
    : Effect.fail(new Refused({ message: `Give the number of nodes, from 1 to ${mostNodes}: npm run cluster -- 3` }))
})

/** The settings that all nodes share. Missing secrets are generated once and kept, as on a single node. */
const sharedSettings = Effect.gen(function* () {
  if (Option.isNone(setting("DATABASE_URL"))) {
    return yield* new Refused({
      message: "Set DATABASE_URL: nodes share a PostgreSQL database, but the embedded one serves a single process."
    })
  }
  const dataDir = Option.getOrElse(setting("DATA_DIR"), () => "./data")
  const secret = (name: string) =>
    Option.match(setting(name), { onNone: () => keptSecret(dataDir, name), onSome: Effect.succeed })
  return { JWT_SECRET: yield* secret("JWT_SECRET"), SECRETS_KEY: yield* secret("SECRETS_KEY") }
})

/** Prints the output of a node, each line prefixed with the node's number. */
const follow = (number: number, child: ChildProcess) => {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on("line", (line) => line.trim() !== "" && console.log(`[${number}] ${line}`))
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

/** Starts a node; when the scope closes, tells it to stop and waits for it as long as it takes. */
const startNode = (number: number, port: number, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<string>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        // In its own process group, so that Ctrl-C reaches it only through this process. It notices by the closed IPC
        // channel when this process dies.
        const started = spawn(process.execPath, ["dist/src/main.js"], {
          env: { ...process.env, ...env, PORT: String(port) },
          stdio: ["ignore", "pipe", "pipe", "ipc"],
          detached: true
        })
        started.once("exit", (code, signal) =>
          Deferred.unsafeDone(ended, Effect.succeed(signal === null ? `with code ${code}` : `by ${signal}`))
        )
        // A process that could not be started never emits "exit".
        started.once("error", ({ message }) =>
          Deferred.unsafeDone(ended, Effect.succeed(`before it started: ${message}`))
        )
        follow(number, started)
        return started
      }),
      (started) =>
        Effect.zipRight(
          Effect.sync(() => isRunning(started) && started.kill("SIGTERM")),
          Deferred.await(ended)
        )
    )
    return {
      line: `  Node ${number}   http://localhost:${port}   process ${child.pid}`,
      ended: Effect.tap(Deferred.await(ended), (how) =>
        Console.error(`Node ${number} on port ${port} exited ${how}. It is not restarted; the other nodes continue.`)
      )
    }
  })

const main = Effect.gen(function* () {
  const count = yield* wantedNodes
  const firstPort = yield* firstPortOf(count)
  const baseUrl = Option.getOrElse(setting("BASE_URL"), () => `http://localhost:${firstPort}`)
  const env = { ...(yield* sharedSettings), BASE_URL: baseUrl }
  const nodes = yield* Effect.forEach(Array.from({ length: count }).keys(), (index) =>
    startNode(index + 1, firstPort + index, env)
  )
  yield* Console.log(`\nStarting ${count} nodes on one database. Ctrl-C stops all of them.`)
  for (const { line } of nodes) yield* Console.log(line)
  yield* Effect.forEach(nodes, ({ ended }) => ended, { concurrency: "unbounded" })
  return yield* new Refused({ message: "All nodes have exited." })
}).pipe(Effect.scoped)

runMain(Effect.tapErrorCause(main, (cause) => Effect.sync(() => inOneLine(cause) && console.error(inOneLine(cause)))))
