import { fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Pool } from "undici"
import { simulatedCredentials } from "../support/GraphServer.ts"
import { median } from "../support/Median.ts"
import { emptyDatabase } from "./Databases.ts"
import { type Server, start } from "./Servers.ts"
import { milliseconds, printTable, rate, ratio } from "./Table.ts"

const mails = Number(process.env["BENCH_MAILS"] ?? 2000)
// Several times as long as the mailbox itself takes: a slower import is aborted.
const deadline = 20_000 + mails * 100
const burst = 1000
// As long as the provider takes for a message on a good day.
const latency = 100
const inbox = "/v1.0/users/support@acme.example"

interface Graph {
  readonly port: number
  readonly graphUrl: string
  readonly authorityUrl: string
}

type Headers = Readonly<Record<string, string>>

const read = async (url: string, init: RequestInit): Promise<unknown> => {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return text === "" ? undefined : JSON.parse(text)
}

/** Starts a simulated provider in its own process, so that its work does not count as the service's. */
const startGraph = async () => {
  const child = fork("dist/test/bench/GraphProcess.js", [String(mails), String(latency)])
  const [{ authorityUrl, graphUrl, port }] = await once(child, "message")
  const graph: Graph = { port: Number(port), graphUrl: String(graphUrl), authorityUrl: String(authorityUrl) }
  return { graph, stop: () => child.kill("SIGKILL") }
}

/** The baseline for the import: a loop that downloads every mail with its files, four at a time, and keeps nothing. */
const download = async ({ authorityUrl, port }: Graph) => {
  const { clientID, clientSecret, tenantID } = simulatedCredentials
  const form = { grant_type: "client_credentials", client_id: clientID, client_secret: clientSecret, scope: "x" }
  const token = await read(`${authorityUrl}/${tenantID}/oauth2/v2.0/token`, {
    method: "POST",
    body: new URLSearchParams(form)
  })
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 4 })
  const headers = {
    authorization: `Bearer ${String(Object(token)["access_token"])}`,
    prefer: 'IdType="ImmutableId", odata.maxpagesize=100'
  }
  const get = async (path: string) => {
    const { body } = await pool.request({ method: "GET", path, headers })
    return Buffer.from(await body.arrayBuffer())
  }
  const json = async (path: string): Promise<unknown> => JSON.parse((await get(path)).toString())
  const started = performance.now()
  const waiting: Array<string> = []
  let isListed = false
  const list = async () => {
    let link: string | undefined = `${inbox}/mailFolders/AAMk-inbox/messages/delta?changeType=created&$select=id`
    while (link !== undefined) {
      const page = Object(await json(link))
      waiting.push(...page["value"].map((one: unknown) => String(Object(one)["id"])))
      const next: unknown = page["@odata.nextLink"]
      link = typeof next === "string" ? next.slice(next.indexOf("/v1.0")) : undefined
    }
    isListed = true
  }
  const worker = async () => {
    while (!isListed || waiting.length > 0) {
      const id = waiting.shift()
      if (id === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
      else if (Object(await json(`${inbox}/messages/${id}`))["hasAttachments"] === true) {
        const { value } = Object(await json(`${inbox}/messages/${id}/attachments`))
        for (const one of value) await get(`${inbox}/messages/${id}/attachments/${Object(one)["id"]}/$value`)
      }
    }
  }
  await Promise.all([list(), worker(), worker(), worker(), worker()])
  await pool.close()
  return (mails * 1000) / (performance.now() - started)
}

const login = async (base: string): Promise<Headers> => {
  const body = JSON.stringify({ username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" })
  const headers = { "content-type": "application/json" }
  const answer = await read(`${base}/api/Auth/login`, { method: "POST", headers, body })
  return { ...headers, authorization: `Bearer ${String(Object(answer)["token"])}` }
}

const residentMemory = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN) / 1024

/** The milliseconds of processor time that a process has used so far, in user and in system mode. */
const processorTime = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const say = (text: string) => process.stderr.write(`${text}\n`)

const importAll = async ({ base, pid }: Server, headers: Headers, channelID: number) => {
  let peak = 0
  let said = 0
  const started = performance.now()
  const worked = processorTime(pid)
  const answer = await read(`${base}/api/Channels/${channelID}/import-emails`, { method: "POST", headers })
  const jobID = String(Object(answer)["jobs"][0]["jobID"])
  for (;;) {
    const job = Object(await read(`${base}/api/Jobs/${jobID}`, { headers }))
    const imported = Number(job["imported"])
    const taken = performance.now() - started
    peak = Math.max(peak, residentMemory(pid))
    if (imported === mails) {
      return { rate: (mails * 1000) / taken, processor: (processorTime(pid) - worked) / mails, peak }
    }
    const state = `${imported} of ${mails} mails imported after ${Math.round(taken / 1000)} s`
    if (job["status"] === "Failed") throw new Error(`The import failed, ${state}: ${job["error"]}`)
    if (taken > deadline) throw new Error(`The import is too slow: ${state}`)
    if (taken - said > 5000) {
      said = taken
      say(`${state}, ${Math.round(residentMemory(pid))} MB`)
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** How long the slowest of a burst of notifications takes, each sent as a separate request. */
const slowestOfBurst = async (base: string) => {
  const pool = new Pool(base, { connections: 50 })
  const send = async (index: number) => {
    const id = `gone-${index}`
    const resource = `users/support@acme.example/mailFolders('AAMk-inbox')/messages/${id}`
    const body = JSON.stringify({
      value: [{ subscriptionId: "x", changeType: "created", resource, resourceData: { id } }]
    })
    const started = performance.now()
    const headers = { "content-type": "application/json" }
    const response = await pool.request({ method: "POST", path: "/api/MailWebhook", headers, body })
    await response.body.dump()
    if (response.statusCode !== 200) throw new Error(`A notification was answered ${response.statusCode}`)
    return performance.now() - started
  }
  const taken = await Promise.all(Array.from({ length: burst }, (_, index) => send(index)))
  await pool.close()
  return Math.max(...taken)
}

/** Compares the import of a mailbox with a loop that only downloads it, and measures a burst of notifications. */
export const benchMail = async () => {
  const { graph, stop } = await startGraph()
  const database = await emptyDatabase("casework_bench_mail")
  const settings = {
    // As `npm start` does.
    MALLOC_ARENA_MAX: "2",
    DEMO: "true",
    AI_PROVIDER: "sandbox",
    BLOB_STORE: "postgres",
    GRAPH_BASE_URL: graph.graphUrl,
    OUTBOUND_ALLOW: `127.0.0.1:${graph.port}`
  }
  // The first start creates the demo data, pictures included, which must not be measured.
  const first = await start("dist/src/main.js", 4333, database, settings)
  first.stop()
  const server = await start("dist/src/main.js", 4334, database, settings)
  try {
    const headers = await login(server.base)
    const channel = await read(`${server.base}/api/Channels`, {
      method: "POST",
      headers,
      body: JSON.stringify({
        channelType: "Email",
        name: "Support",
        isActive: true,
        emailAddress: "support@acme.example",
        overrideMailProviderTenantID: simulatedCredentials.tenantID,
        overrideMailProviderClientID: simulatedCredentials.clientID,
        overrideMailProviderClientSecret: simulatedCredentials.clientSecret,
        overrideMailProviderAuthorityURL: graph.authorityUrl
      })
    })
    say(`downloading ${mails} mails`)
    const bare = await download(graph)
    say(`${Math.round(bare)} a second; importing them`)
    const ours = await importAll(server, headers, Number(Object(channel)["channelID"]))
    const slowest: Array<number> = []
    // The first rounds also pay for a code path that has never run before.
    for (let round = 0; round < 5; round++) slowest.push(await slowestOfBurst(server.base))
    printTable(
      [`mailbox of ${mails} mails, ${latency} ms a request`, "measured", "goal"],
      [
        ["download alone, 4 at a time", rate(bare), ""],
        ["import", rate(ours.rate), ""],
        ["processor time a mail, until all are there", milliseconds(ours.processor), ""],
        ["ratio", ratio(ours.rate / bare), "at least 0.9"],
        ["memory, at most", `${Math.round(ours.peak)} MB`, "under 300 MB"],
        [`slowest of ${burst} notifications at once, median of 5`, milliseconds(median(slowest)), "within 1 s"]
      ]
    )
  } finally {
    server.stop()
    stop()
  }
}
