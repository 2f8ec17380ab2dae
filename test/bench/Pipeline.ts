import { channelIn, field, listIn, numberIn } from "../support/Fields.ts"
import { type Headers, login, read, sendsJson } from "./Ask.ts"
import { emptyDatabase } from "./Databases.ts"
import { caseworkFile, start } from "./Servers.ts"
import { judged, milliseconds, printTable } from "./Table.ts"

const single = 30
const atOnce = 200

const mailChannel = async (base: string, headers: Headers) => {
  return numberIn(channelIn(await read(`${base}/api/Channels`, { headers }), "Email"), "channelID")
}

const post = async (base: string, headers: Headers, channelID: number) => {
  const body = JSON.stringify({ channelID, message: "I lost my key and am locked out", fromAddress: "a@mail.example" })
  const answer = await read(`${base}/ticketMessages/create-new`, { method: "POST", headers, body })
  return numberIn(answer, "messageID")
}

/** Whether the last step of the pipeline is recorded, which is the last thing that a pipeline does. */
const isFinished = async (base: string, headers: Headers, messageID: number) => {
  const trace = await read(`${base}/ticketMessages/${messageID}/trace`, { headers })
  return listIn(trace, "entries").some((entry) => field(entry, "what") === "OnDraftReady")
}

const finished = async (base: string, headers: Headers, messageID: number, pause: number) => {
  while (!(await isFinished(base, headers, messageID))) await new Promise((resolve) => setTimeout(resolve, pause))
}

const percentile = (numbers: ReadonlyArray<number>, share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN

/** Times the ticket list repeatedly until it is stopped. */
const listing = (base: string, headers: Headers) => {
  const taken: Array<number> = []
  let isOn = true
  const done = (async () => {
    while (isOn) {
      const started = performance.now()
      await read(`${base}/tickets`, { headers })
      taken.push(performance.now() - started)
    }
  })()
  return {
    stop: async () => {
      isOn = false
      await done
      return percentile(taken, 0.99)
    }
  }
}

/** Measures from the response of create-new to the end of the message's pipeline, with the sandbox as AI. */
export const benchPipeline = async () => {
  const database = await emptyDatabase("casework_bench_pipeline")
  const server = await start(caseworkFile, 4332, database, { AI_PROVIDER: "sandbox", DEMO: "true" })
  const { base } = server
  const headers = { ...sendsJson, ...(await login(base)) }
  const channelID = await mailChannel(base, headers)
  const taken: Array<number> = []
  for (let index = -3; index < single; index++) {
    const messageID = await post(base, headers, channelID)
    const started = performance.now()
    await finished(base, headers, messageID, 5)
    if (index >= 0) taken.push(performance.now() - started)
  }
  const quiet = listing(base, headers)
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const idle = await quiet.stop()
  const started = performance.now()
  const busy = listing(base, headers)
  const ids = await Promise.all(Array.from({ length: atOnce }, () => post(base, headers, channelID)))
  for (const id of ids) await finished(base, headers, id, 100)
  const all = performance.now() - started
  const meanwhile = await busy.stop()
  server.stop()
  const one = percentile(taken, 0.5)
  printTable(
    ["pipeline of a message, sandbox, PostgreSQL", "measured", "goal"],
    [
      [`one message, median of ${single}`, milliseconds(one), judged("under 1 s", one < 1000)],
      [`${atOnce} messages at once, all finished`, milliseconds(all), judged("within 60 s", all <= 60_000)],
      [
        "list of tickets meanwhile, p99",
        `${milliseconds(meanwhile)}, idle ${milliseconds(idle)}`,
        judged("at most 3 times idle", meanwhile <= 3 * idle)
      ]
    ]
  )
}
