import { fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Pool } from "undici"
import { field, listIn, numberIn, textIn } from "../support/Fields.ts"
import { simulatedCredentials } from "../support/GraphServer.ts"
import { median } from "../support/Median.ts"
import { type Headers, login, read, sendsJson } from "./Ask.ts"
import { emptyDatabase } from "./Databases.ts"
import { residentMemory } from "./Memory.ts"
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

/** Starts a simulated provider in its own process, so that its work does not count as the service's. */
const startGraph = async () => {
  const child = fork("dist/test/bench/GraphProcess.js", [String(mails), String(latency)])
  const [told]: ReadonlyArray<unknown> = await once(child, "message")
  const graph: Graph = {
    port: numberIn(told, "port"),
    graphUrl: textIn(told, "graphUrl"),
    authorityUrl: textIn(told, "authorityUrl")
  }
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
    authorization: `Bearer ${textIn(token, "access_token")}`,
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
      const page = await json(link)
      waiting.push(...listIn(page, "value").map((one) => textIn(one, "id")))
      const next = field(page, "@odata.nextLink")
      link = typeof next === "string" ? next.slice(next.indexOf("/v1.0")) : undefined
    }
    isListed = true
  }
  const worker = async () => {
    while (!isListed || waiting.length > 0) {
      const id = waiting.shift()
      if (id === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
      else if (field(await json(`${inbox}/messages/${id}`), "hasAttachments") === true) {
        const files = listIn(await json(`${inbox}/messages/${id}/attachments`), "value")
        for (const file of files) await get(`${inbox}/messages/${id}/attachments/${textIn(file, "id")}/$value`)
      }
    }
  }
  await Promise.all([list(), worker(), worker(), worker(), worker()])
  await pool.close()
  return (mails * 1000) / (performance.now() - started)
}

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
  const jobID = textIn(listIn(answer, "jobs")[0], "jobID")
  for (;;) {
    const job = await read(`${base}/api/Jobs/${jobID}`, { headers })
    const imported = numberIn(job, "imported")
    const taken = performance.now() - started
    peak = Math.max(peak, residentMemory(pid))
    if (imported === mails) {
      return { rate: (mails * 1000) / taken, processor: (processorTime(pid) - worked) / mails, peak }
    }
    const state = `${imported} of ${mails} mails imported after ${Math.round(taken / 1000)} s`
    if (field(job, "status") === "Failed") throw new Error(`The import failed, ${state}: ${field(job, "error")}`)
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
    const headers = { ...sendsJson, ...(await login(server.base)) }
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
    const ours = await importAll(server, headers, numberIn(channel, "channelID"))
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
