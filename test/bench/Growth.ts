import { filledDatabase, placeRareWord, type SomeCustomer, someCustomer } from "./Databases.ts"
import { connect, connectMany } from "./HubClient.ts"
import { inTurns, latency, type Request } from "./Load.ts"
import { newMessage } from "./NewMessage.ts"
import { caseworkFile, start, tokenFor } from "./Servers.ts"
import { atMost, milliseconds, ratio, startTable, widestOf } from "./Table.ts"

const few = 10_000
// A quick run may use fewer.
export const many = Number(process.env["BENCH_TICKETS"] ?? 1_000_000)

export const rareWord = "okapi"

const rounds = 5

/** A request, given the customer who makes it and a token. */
type Asked = (customer: SomeCustomer, token: string) => Request

const get =
  (path: (customer: SomeCustomer) => string): Asked =>
  (customer, token) => ({ method: "GET", path: path(customer), token })

const ping: Asked = () => ({ method: "GET", path: "/health/live" })
const firstPage = get(() => "/tickets")
const singleGet = get(({ ticketID }) => `/tickets/${ticketID}`)

const ofTickets: Readonly<Record<string, Asked>> = {
  "first page": firstPage,
  // A filter that fills a page on both sides, so that equally much is shown.
  "filtered page": get(() => "/tickets?status=Closed&isSpam=false&channelType=Chat"),
  search: get(() => `/tickets?search=${rareWord}`),
  "search, two words": get(() => "/tickets?search=zebra%20key"),
  "single get": singleGet
}

interface Side {
  readonly title: string
  readonly url: string
  /** The number of hub clients that are connected meanwhile. */
  readonly clients?: number
}

/** Compares the same requests, one at a time, where there is little and where there is much. */
const compareGrowth = async (sides: ReadonlyArray<Side>, asked: Readonly<Record<string, Asked>>) => {
  const ready = await Promise.all(
    sides.map(async ({ clients = 0, url }, index) => {
      const customer = await someCustomer(url)
      await placeRareWord(url, customer.customerID, rareWord)
      const server = await start(caseworkFile, 4301 + index, url)
      const token = await tokenFor(server.base, customer.customerID, customer.customerRepID)
      const sockets = await connectMany(clients, () => connect(server.base, `access_token=${token}`))
      return { server, customer, token, sockets }
    })
  )
  const table = startTable(
    ["one request at a time", ...sides.map(({ title }) => title), "ratio", "goal"],
    [widestOf(Object.keys(asked)), "", "", "", "at most 1.5, missed"]
  )
  for (const [name, request] of Object.entries(asked)) {
    const [small = Number.NaN, large = Number.NaN] = await inTurns(
      ready.map(({ customer, server, token }) => {
        const made = request(customer, token)
        return () => latency(server.base, made)
      }),
      rounds
    )
    table.row([name, milliseconds(small), milliseconds(large), ratio(large / small), atMost(1.5, large / small)])
  }
  table.end()
  for (const { server, sockets } of ready) {
    for (const socket of sockets) socket.close()
    server.stop()
  }
}

const numbered = (count: number, what: string) => `${count.toLocaleString("en")} ${what}`

/** From few tickets to many, with the same number of customers. */
export const growthWithTickets = async () => {
  const sides: Array<Side> = []
  for (const tickets of [few, many]) {
    sides.push({ title: numbered(tickets, "tickets"), url: await filledDatabase(tickets) })
  }
  await compareGrowth(sides, ofTickets)
}

// Few enough to be filled in quickly, yet still a page of them for each of the many customers.
const shared = 50_000
const page = shared / 10_000

/** From few customers to many, with the same total number of tickets. */
export const growthWithCustomers = async () => {
  const sides: Array<Side> = []
  for (const customers of [10, 10_000]) {
    sides.push({ title: numbered(customers, "customers"), url: await filledDatabase(shared, customers) })
  }
  await compareGrowth(sides, {
    ping,
    [`page of ${page}`]: get(() => `/tickets?pageSize=${page}`),
    "single get": singleGet,
    "create-new": newMessage
  })
}

/** From few hub clients to many. Anything broadcast would cost time for each of them, so here nothing is. */
export const growthWithClients = async () => {
  const url = await filledDatabase(few)
  const sides = [10, 1000].map((clients) => ({ title: numbered(clients, "hub clients"), url, clients }))
  await compareGrowth(sides, { ping, "first page": firstPage, "single get": singleGet })
}
