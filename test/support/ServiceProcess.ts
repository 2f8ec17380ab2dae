import { type ChildProcess, spawn } from "node:child_process"
import { Effect } from "effect"
import { eventually } from "./Eventually.ts"
import { freePort } from "./Processes.ts"

export interface ServiceProcess {
  readonly base: string
  readonly pid: number
  /** Kills it with SIGKILL and waits until it is gone. */
  readonly kill: Effect.Effect<void>
  /** Stops it as an operator would; returns its exit code, or null when a signal ended it. */
  readonly stop: Effect.Effect<number | null>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Returns its exit code once it ends. */
  readonly ended: Effect.Effect<number | null>
  /** Simulates the death of the process that started it. */
  readonly abandon: Effect.Effect<void>
  /** Stops reading its output. */
  readonly stopReading: Effect.Effect<void>
  /** Everything it has written so far. */
  readonly output: () => string
}

export const isReady = (base: string, within = 5000) =>
  Effect.promise(() =>
    fetch(`${base}/health/ready`, { signal: AbortSignal.timeout(within) }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.ok
      },
      () => false
    )
  )

const mostOutput = 200_000

/** The whole service in its own process, from the built file; it does not outlive the scope. */
export const startService = (
  env: Readonly<Record<string, string>>,
  options: { readonly root: string; readonly nodeArguments?: ReadonlyArray<string> }
) =>
  Effect.gen(function* () {
    const port = Number(env["PORT"] ?? (yield* freePort))
    let written = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess => {
        const started = spawn(process.execPath, [...(options.nodeArguments ?? []), "dist/src/main.js"], {
          cwd: options.root,
          env: { PATH: process.env["PATH"] ?? "", HOST: "127.0.0.1", ...env, PORT: String(port) },
          stdio: ["ignore", "pipe", "pipe", "ipc"]
        })
        for (const stream of [started.stdout, started.stderr]) {
          stream?.on("data", (chunk: Buffer) => {
            written = (written + chunk).slice(-mostOutput)
          })
        }
        return started
      }),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
    const base = `http://127.0.0.1:${port}`
    yield* eventually(
      Effect.filterOrElse(
        isReady(base),
        () => child.exitCode === null,
        () => Effect.dieMessage(`The service ended at its start: ${written}`)
      ),
      (ready) => ready,
      "3 minutes"
    )
    const signalled = (signal: NodeJS.Signals) =>
      Effect.promise(() => {
        child.kill(signal)
        return ended
      })
    return {
      base,
      pid: child.pid ?? 0,
      kill: Effect.asVoid(signalled("SIGKILL")),
      stop: signalled("SIGTERM"),
      signal: (signal) => Effect.sync(() => void child.kill(signal)),
      ended: Effect.promise(() => ended),
      abandon: Effect.sync(() => child.disconnect()),
      stopReading: Effect.sync(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }),
      output: () => written
    } satisfies ServiceProcess
  })
