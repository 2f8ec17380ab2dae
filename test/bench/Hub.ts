import { channelIn, numberIn, textIn } from "../support/Fields.ts"
import { median } from "../support/Median.ts"
import { emptyDatabase } from "./Databases.ts"
import { connect, connectMany, makeAudience } from "./HubClient.ts"
import { residentMemory } from "./Memory.ts"
import { caseworkFile, start, tokenFor } from "./Servers.ts"
import { judged, milliseconds, printTable } from "./Table.ts"

const crowd = 1000
const audience = 100
const rounds = 50

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const ask = async (base: string, token: string, path: string, body?: unknown): Promise<unknown> => {
  const response = await fetch(base + path, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** The median time from posting a message at one node until the last client of the other node has it. */
const fanOut = async (from: string, to: string, token: string, channelID: number) => {
  const listeners = await makeAudience(to, `access_token=${token}`, audience)
  const taken: Array<number> = []
  for (let round = -5; round < rounds; round++) {
    const started = performance.now()
    const body = { channelID, message: "I lost my key and am locked out", senderType: "CustomerRep", status: "Sent" }
    const messageID = numberIn(await ask(from, token, "/ticketMessages/create-new", body), "messageID")
    await listeners.hasHeard(messageID)
    if (round >= 0) taken.push(performance.now() - started)
  }
  listeners.leave()
  return median(taken)
}

/** Measures what a connected client costs, and how long an event takes to reach every client. */
export const benchHub = async () => {
  Object.assign(process.env, { AI_PROVIDER: "sandbox", DEMO: "true" })
  const url = await emptyDatabase("casework_bench_hub")
  const one = await start(caseworkFile, 4340, url)
  const other = await start(caseworkFile, 4341, url)
  const token = await tokenFor(one.base, 1, 1)
  const channels = await ask(one.base, token, "/api/Channels")
  const chat = channelIn(channels, "Chat")
  const [channelID, channelToken] = [numberIn(chat, "channelID"), textIn(chat, "token")]
  // Measured first: leftovers of other work would hide what the clients take.
  await pause(1000)
  const before = residentMemory(one.pid)
  const sockets = await connectMany(crowd, (index) =>
    connect(one.base, index % 2 === 0 ? `access_token=${token}` : `channelToken=${channelToken}`)
  )
  // Until the next pings have reached every client.
  await pause(20_000)
  const after = residentMemory(one.pid)
  for (const socket of sockets) socket.close()
  const alone = await fanOut(one.base, one.base, token, channelID)
  const over = await fanOut(one.base, other.base, token, channelID)
  one.stop()
  other.stop()
  printTable(
    ["the hub, PostgreSQL", "measured", "goal"],
    [
      [
        `${crowd} clients on one node, additional memory`,
        `${(after - before).toFixed(0)} MB`,
        judged("under 150 MB", after - before < 150)
      ],
      [
        `a message to ${audience} clients on one node, median of ${rounds}`,
        milliseconds(alone),
        judged("100 ms", alone <= 100)
      ],
      [`the same over two nodes`, milliseconds(over), judged("500 ms", over <= 500)]
    ]
  )
}
