import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listIn, numberIn, textIn } from "../support/Fields.ts"
import { fetched, type Headers, login, read } from "./Ask.ts"
import { emptyDatabase } from "./Databases.ts"
import { residentMemory } from "./Memory.ts"
import { caseworkFile, type Server, start } from "./Servers.ts"
import { judged, printTable } from "./Table.ts"

const mebibyte = 1024 * 1024
const atOnce = 20
const largest = 25 * mebibyte

/** The peak of the memory, in MiB, that a server takes in addition while something runs. */
const addedMemory = async (pid: number, run: () => Promise<unknown>) => {
  const before = residentMemory(pid)
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMemory(pid))
  }, 100)
  const started = performance.now()
  await run().finally(() => clearInterval(timer))
  return { added: Math.round(peak - before), seconds: (performance.now() - started) / 1000 }
}

const firstMessage = async (base: string, headers: Headers) => {
  const tickets = await read(`${base}/tickets?pageSize=1`, { headers })
  const ticketID = numberIn(listIn(tickets, "items")[0], "ticketID")
  const messages = await read(`${base}/ticketMessages?ticketId=${ticketID}`, { headers })
  return numberIn(listIn(messages, "items")[0], "messageID")
}

const content = new Blob([Buffer.alloc(largest, "0123456789\n")])

const measure = async ({ base, pid }: Server) => {
  const headers = await login(base)
  const messageID = await firstMessage(base, headers)
  const upload = async () => {
    const body = new FormData()
    body.append("file", content, "large.txt")
    const answer = await read(`${base}/ticketMessages/${messageID}/attachments`, { method: "POST", headers, body })
    return textIn(answer, "accessToken")
  }
  const download = async (token: string) => {
    const { body } = await fetched(`${base}/api/File/${token}`, {})
    let size = 0
    const count = (chunk: Uint8Array) => {
      size += chunk.length
    }
    await body?.pipeTo(new WritableStream({ write: count }))
    if (size !== largest) throw new Error(`Only ${size} bytes came`)
  }
  // One run beforehand: what the first request loads is not part of what a file takes.
  const token = await upload()
  await download(token)
  const up = await addedMemory(pid, () => Promise.all(Array.from({ length: atOnce }, upload)))
  const down = await addedMemory(pid, () => Promise.all(Array.from({ length: atOnce }, () => download(token))))
  return { up, down }
}

/** Measures what large files do to the service's memory, with each store. */
export const benchFiles = async () => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const store of ["folder", "postgres"]) {
    const folder = await mkdtemp(join(tmpdir(), "casework-bench-"))
    Object.assign(process.env, { BLOB_STORE: store, DATA_DIR: folder, DEMO: "true" })
    const server = await start(caseworkFile, 4331, await emptyDatabase("casework_bench_files"))
    const { down, up } = await measure(server)
    server.stop()
    await rm(folder, { recursive: true, force: true })
    for (const [name, { added, seconds }] of Object.entries({ upload: up, download: down })) {
      rows.push([
        `${name}, ${store}`,
        `${added} MiB`,
        `${seconds.toFixed(1)} s`,
        judged("less than 100 MB", added * mebibyte < 100_000_000)
      ])
    }
  }
  printTable([`${atOnce} files of 25 MiB at a time`, "memory added", "time", "goal"], rows)
}
