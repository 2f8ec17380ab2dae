import { Pool } from "undici"
import { median } from "../support/Median.ts"

export interface Request {
  readonly method: "GET" | "POST"
  readonly path: string | (() => string)
  readonly token?: string
  readonly contentType?: string
  readonly body?: () => string | Buffer
}

/** One request, as lean as it can be sent and read: what the sender takes, the servers lack. */
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

/** Milliseconds of one request after the other: the median. */
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

/** Sends one request after the other on so many connections at once, until it is time to stop. */
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
  /** How many a second. */
  readonly round: () => Promise<number>
  readonly end: () => Promise<unknown>
}

const warmRequests = 8000
const warmSeconds = 8
const roundSeconds = 1.5

/** Warms until a compiler that learns at run time has seen enough; all servers alike. */
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

/** Requests a second with so many connections that are never idle. */
export const throughput = (base: string, request: Request, connections = 32): Meter => {
  const pool = new Pool(base, { connections })
  return meterOf(
    connections,
    () => sendGood(pool, request),
    () => pool.close()
  )
}

/** What several servers reach in turns, so that a noisy machine is noisy for all: the median of the rounds. */
export const inTurns = async (measures: ReadonlyArray<() => Promise<number>>, rounds: number) => {
  const results = measures.map((): Array<number> => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, measure] of measures.entries()) results[index]?.push(await measure())
  }
  return results.map(median)
}

/** The status of an answer, whatever it is; 0 when there was none. */
export const statusOf = (pool: Pool, request: Request) =>
  send(pool, request).then(
    ({ status }) => status,
    () => 0
  )
