import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:net"
import { Effect, Random } from "effect"
import { eventually } from "./Eventually.ts"
import { textIn } from "./Fields.ts"

/** The folder of the repository, where npm runs everything. */
export const root = process.cwd()

const isFree = (port: number) =>
  Effect.async<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

/**
 * A port to listen on, also again after a restart. It is below the range that the system assigns to outgoing
 * connections, so that none of them takes it meanwhile.
 */
export const freePort: Effect.Effect<number> = Effect.gen(function* () {
  const port = yield* Random.nextIntBetween(20_000, 32_000)
  return (yield* isFree(port)) ? port : yield* freePort
})

const isReady = (base: string) =>
  Effect.promise(() =>
    fetch(`${base}/health/ready`, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false
    )
  )

export interface Node {
  readonly base: string
  readonly kill: Effect.Effect<void>
  /** Suspends the process until it goes on. */
  readonly freeze: Effect.Effect<void>
  readonly goOn: Effect.Effect<void>
}

/** A process of the service from `dist/`; several can share a database. */
export const startNode = (env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const port = env["PORT"] ?? String(yield* freePort)
    const child = yield* Effect.acquireRelease(
      Effect.sync(
        (): ChildProcess =>
          spawn(process.execPath, ["dist/src/main.js"], {
            cwd: root,
            env: { PATH: process.env["PATH"] ?? "", HOST: "127.0.0.1", ...env, PORT: port },
            stdio: "ignore"
          })
      ),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    const base = `http://127.0.0.1:${port}`
    yield* eventually(isReady(base), (ready) => ready, "3 minutes")
    const kill = Effect.promise(() => {
      child.kill("SIGKILL")
      return ended
    })
    const signal = (name: "SIGSTOP" | "SIGCONT") => Effect.sync(() => void child.kill(name))
    return { base, kill, freeze: signal("SIGSTOP"), goOn: signal("SIGCONT") } satisfies Node
  })

/** A request to a process that may just be being killed, in which case it fails. */
export const tryToAsk = async (node: Node, method: string, path: string, token: string, body?: unknown) => {
  const response = await fetch(node.base + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  const answer: unknown = text === "" ? undefined : JSON.parse(text)
  return answer
}

export const ask = (node: Node, method: string, path: string, token: string, body?: unknown) =>
  Effect.promise(() => tryToAsk(node, method, path, token, body))

export const loginTo = (node: Node) =>
  Effect.map(
    ask(node, "POST", "/api/Auth/login", "", {
      username: "acme-admin",
      password: "Demo-Pass-1",
      hostname: "localhost"
    }),
    (answer) => textIn(answer, "token")
  )
