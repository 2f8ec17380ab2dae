import { Pool } from "undici"
import { freshDatabase, someCustomer } from "./Databases.ts"
import { keepBusy, type Request, statusOf } from "./Load.ts"
import { peakMemory, residentMemory } from "./Memory.ts"
import { newMessage } from "./NewMessage.ts"
import { caseworkFile, start, tokenFor } from "./Servers.ts"
import { judged, printTable, rate, startTable } from "./Table.ts"

const connections = 200
const tickets = 10_000
const warmSeconds = 30
const sampleEvery = 30

const most = 350
// The allowed growth in ten minutes, as a share of the memory after the warm-up.
const flat = 0.1

const megabytes = (value: number) => `${value.toFixed(0)} MB`

interface Sample {
  readonly minutes: number
  readonly memory: number
}

/** The growth per minute: the slope of the line that fits the samples best. */
const slopeOf = (samples: ReadonlyArray<Sample>) => {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length
  const minutes = mean((one) => one.minutes)
  const memory = mean((one) => one.memory)
  const above = mean((one) => (one.minutes - minutes) * (one.memory - memory))
  return above / mean((one) => (one.minutes - minutes) ** 2)
}

interface Summary {
  readonly rate: number
  readonly peak: number
  readonly slope: number
  readonly flatBelow: number
  readonly errors: number
}

const summarise = ({ errors, flatBelow, peak, rate: reached, slope }: Summary) =>
  printTable(
    ["soak, all in all", "measured", "goal"],
    [
      [`requests, ${connections} connections`, rate(reached), ""],
      ["requests that failed", String(errors), judged("0", errors === 0)],
      ["memory at its peak", megabytes(peak), judged(`under ${megabytes(most)}`, peak < most)],
      [
        "memory, growth a minute",
        `${slope.toFixed(1)} MB`,
        judged(`flat: under ${flatBelow.toFixed(1)} MB`, slope < flatBelow)
      ]
    ]
  )

/** The workload of a support team, which reads much more than it writes. */
const mixture = async (url: string, base: string) => {
  const customer = await someCustomer(url)
  const token = await tokenFor(base, customer.customerID, customer.customerRepID)
  const get = (path: string): Request => ({ method: "GET", path, token })
  const one = `/tickets/${customer.ticketID}`
  const requests: ReadonlyArray<Request> = [
    get("/tickets"),
    get(one),
    get(`${one}/messages`),
    get("/tickets?status=Open"),
    get(one),
    newMessage(customer, token),
    get("/tickets?search=zebra"),
    get(`${one}/messages`)
  ]
  let number = 0
  return () => {
    number += 1
    return requests[number % requests.length] ?? get(one)
  }
}

/** Runs one node in all roles under more load than it can take, for a long time: its memory must not grow. */
export const benchSoak = async (seconds: number) => {
  const url = await freshDatabase("casework_bench_soak", tickets)
  const server = await start(caseworkFile, 4351, url, { ROLE: "all" })
  const pool = new Pool(server.base, { connections })
  try {
    const next = await mixture(url, server.base)
    let errors = 0
    const ask = async () => {
      if ((await statusOf(pool, next())) !== 200) errors += 1
    }
    const table = startTable(
      ["soak, 200 connections", "memory", "requests", "errors"],
      ["after the warm-up", "", "", ""]
    )
    const warm = await keepBusy(connections, warmSeconds, ask)
    const samples: Array<Sample> = []
    const note = (name: string, done: number) => {
      const memory = residentMemory(server.pid)
      table.row([name, megabytes(memory), done.toLocaleString("en"), String(errors)])
      return memory
    }
    const began = note("after the warm-up", warm.done)
    const started = performance.now()
    const watch = setInterval(
      () => samples.push({ minutes: (performance.now() - started) / 60_000, memory: residentMemory(server.pid) }),
      1000
    )
    let done = 0
    for (let at = 0; at < seconds; at += sampleEvery) {
      const length = Math.min(sampleEvery, seconds - at)
      done += (await keepBusy(connections, length, ask)).done
      note(`${at + length} s`, done)
    }
    clearInterval(watch)
    table.end()
    summarise({
      rate: done / seconds,
      peak: peakMemory(server.pid),
      slope: slopeOf(samples),
      flatBelow: (began * flat) / 10,
      errors
    })
  } finally {
    server.stop()
    await pool.destroy()
  }
}
