import { type ChildProcess, spawn } from "node:child_process"
import { secrets } from "./Databases.ts"

export interface Server {
  readonly base: string
  readonly pid: number
  readonly stop: () => void
}

const ready = async (base: string, child: ChildProcess) => {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}`)
    const answered = await fetch(`${base}/health/ready`, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`Nothing answers at ${base}`)
}

/** Starts one of the servers on its own port and waits until it is ready. By default it does not do background work. */
export const start = async (
  file: string,
  port: number,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = { ROLE: "web" }
): Promise<Server> => {
  const child = spawn(process.execPath, [file], {
    env: {
      ...process.env,
      ...secrets,
      NODE_ENV: "production",
      RATE_LIMIT: "off",
      RATE_LIMIT_ADDRESS: "off",
      HUB_LIMIT_ADDRESS: "off",
      HUB_LIMIT_MESSAGES: "off",
      ...env,
      PORT: String(port),
      DATABASE_URL: databaseUrl
    },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const base = `http://127.0.0.1:${port}`
  await ready(base, child)
  return { base, pid: child.pid ?? 0, stop: () => child.kill("SIGKILL") }
}

export const caseworkFile = "dist/src/main.js"

export const tokenFor = async (base: string, customerID: number, customerRepID: number) => {
  const response = await fetch(`${base}/api/Auth/impersonate-by-customer`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-platform-key": secrets.PLATFORM_KEY },
    body: JSON.stringify({ customerID, customerRepID })
  })
  const answer: unknown = await response.json()
  if (typeof answer === "object" && answer !== null && "token" in answer) return String(answer.token)
  throw new Error(`No token: ${JSON.stringify(answer)}`)
}
