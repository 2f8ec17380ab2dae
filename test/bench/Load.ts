import { Pool } from "undici"
import { median } from "../support/Median.ts"

export interface Request {
  readonly method: "GET" | "POST"
  readonly path: string | (() => string)
  readonly token?: string
  readonly contentType?: string
  readonly body?: () => string | Buffer
}

/** One request, sent and read as cheaply as possible: what the sender uses, the servers lack. */
const send = (pool: Pool, { body, contentType = "application/json", method, path, token }: Request) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    let status = 0
    let text = ""
    pool.dispatch(
      {
        method,
        path: typeof path === "string" ? path : path(),
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": contentType })
        },
        body: body?.() ?? null
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, code) => {
          status = code
        },
        onResponseData: (_, bytes) => {
          if (status !== 200) text += bytes.toString()
        },
        onResponseEnd: () => resolve({ status, text }),
        onResponseError: (_, error) => reject(error)
      }
    )
  })

const sendGood = async (pool: Pool, request: Request) => {
  const { status, text } = await send(pool, request)
  if (status !== 200) throw new Error(`${request.method} ${String(request.path)} answered ${status}: ${text}`)
}

/** The median milliseconds of sequential requests. */
export const latency = async (base: string, request: Request, times = 60) => {
  const pool = new Pool(base, { connections: 1 })
  const taken: Array<number> = []
  for (let index = -10; index < times; index++) {
    const start = performance.now()
    await sendGood(pool, request)
    if (index >= 0) taken.push(performance.now() - start)
  }
  await pool.close()
  return median(taken)
}

/** Sends one request after another on this many connections at once, until the time is up. */
export const keepBusy = async (connections: number, seconds: number, one: () => Promise<unknown>) => {
  let done = 0
  const started = performance.now()
  const until = started + seconds * 1000
  const run = async () => {
    while (performance.now() < until) {
      await one()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: connections }, run))
  return { done, seconds: (performance.now() - started) / 1000 }
}

/** Something that is measured in rounds. */
export interface Meter {
  readonly warm: () => Promise<unknown>
  /** The rate per second. */
  readonly round: () => Promise<number>
  readonly end: () => Promise<unknown>
}

const warmRequests = 8000
const warmSeconds = 8
const roundSeconds = 1.5

/** Warms up until a JIT compiler has seen enough; the same for all servers. */
export const meterOf = (connections: number, one: () => Promise<unknown>, end: () => Promise<unknown>): Meter => ({
  warm: async () => {
    let done = 0
    for (let second = 0; second < warmSeconds && done < warmRequests; second++) {
      done += (await keepBusy(connections, 1, one)).done
    }
  },
  round: async () => {
    const { done, seconds } = await keepBusy(connections, roundSeconds, one)
    return done / seconds
  },
  end
})

/** Requests per second over this many connections that are never idle. */
export const throughput = (base: string, request: Request, connections = 32): Meter => {
  const pool = new Pool(base, { connections })
  return meterOf(
    connections,
    () => sendGood(pool, request),
    () => pool.close()
  )
}

/** The medians that several servers reach in turns, so that a noisy machine is equally noisy for all. */
export const inTurns = async (measures: ReadonlyArray<() => Promise<number>>, rounds: number) => {
  const results = measures.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, measure] of measures.entries()) results[index]?.push(await measure())
  }
  return results.map(median)
}

/** The status of a response, whatever it is; 0 when there was none. */
export const statusOf = (pool: Pool, request: Request) =>
  send(pool, request).then(
    ({ status }) => status,
    () => 0
  )
