import { filledDatabase, placeRareWord, type SomeCustomer, someCustomer } from "./Databases.ts"
import { connect, connectMany } from "./HubClient.ts"
import { inTurns, latency, type Request } from "./Load.ts"
import { newMessage } from "./NewMessage.ts"
import { caseworkFile, start, tokenFor } from "./Servers.ts"
import { atMost, milliseconds, ratio, startTable, widestOf } from "./Table.ts"

const few = 10_000
// A quick look may do with less.
export const many = Number(process.env["BENCH_TICKETS"] ?? 1_000_000)

export const rareWord = "okapi"

const rounds = 5

/** A request, given the customer who makes it and its token. */
type Asked = (customer: SomeCustomer, token: string) => Request

const get =
  (path: (customer: SomeCustomer) => string): Asked =>
  (customer, token) => ({ method: "GET", path: path(customer), token })

const ping: Asked = () => ({ method: "GET", path: "/health/live" })
const firstPage = get(() => "/tickets")
const singleGet = get(({ ticketID }) => `/tickets/${ticketID}`)

const ofTickets: Readonly<Record<string, Asked>> = {
  "first page": firstPage,
  // Of a kind that fills a page on both sides: as much to show.
  "filtered page": get(() => "/tickets?status=Closed&isSpam=false&channelType=Chat"),
  search: get(() => `/tickets?search=${rareWord}`),
  "search, two words": get(() => "/tickets?search=zebra%20key"),
  "single get": singleGet
}

interface Side {
  readonly title: string
  readonly url: string
  /** How many clients of the hub are connected meanwhile. */
  readonly clients?: number
}

/** The same requests, one at a time, where there is little and where there is much. */
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

/** From few tickets to many, of as many customers. */
export const growthWithTickets = async () => {
  const sides: Array<Side> = []
  for (const tickets of [few, many]) {
    sides.push({ title: numbered(tickets, "tickets"), url: await filledDatabase(tickets) })
  }
  await compareGrowth(sides, ofTickets)
}

// So few that they are soon filled in, and still a page of them for each of the many.
const shared = 50_000
const page = shared / 10_000

/** From few customers to many, with as many tickets in all. */
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

/** From few clients of the hub to many. What all of them are told, all of them cost: here they are told nothing. */
export const growthWithClients = async () => {
  const url = await filledDatabase(few)
  const sides = [10, 1000].map((clients) => ({ title: numbered(clients, "hub clients"), url, clients }))
  await compareGrowth(sides, { ping, "first page": firstPage, "single get": singleGet })
}
