import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, FastCheck as fc, Schema } from "effect"
import { CustomerRepID } from "../../schema/Ids.ts"
import { TicketPage } from "../../schema/Tickets.ts"
import { field } from "../support/Fields.ts"
import { clientOf, quietApp, sendJson, tokenOf } from "../support/TestApp.ts"
import { newChannel, refusedPaths } from "../topics/Mappings.ts"
import { newTicket } from "./TicketTools.ts"

type Row = (typeof TicketPage.Encoded.items)[number]

interface Sought extends Row {
  /** Every text that a search looks through, in lower case. */
  readonly texts: ReadonlyArray<string>
  readonly uids: ReadonlyArray<string>
}

const decodePage = Schema.decodeUnknown(TicketPage)
const encodePage = Schema.encode(TicketPage)

const ask = (query: string, username = "acme-admin") =>
  Effect.gen(function* () {
    const { json, status, text } = yield* sendJson("GET", `/tickets${query}`, { token: yield* tokenOf(username) })
    if (status !== 200) return yield* Effect.dieMessage(`${query} answered ${status}: ${text}`)
    return yield* Effect.flatMap(decodePage(json), encodePage)
  })

const found = (search: string, username?: string) =>
  Effect.map(ask(`?pageSize=200&sortBy=ticketID&search=${encodeURIComponent(search)}`, username), ({ items }) =>
    items.map(({ ticketID }) => ticketID)
  )

/** Every ticket of Acme with what it can be found by, put together without the service's own search. */
const everything = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { items } = yield* ask("?pageSize=200&sortBy=ticketID")
  const [count] = yield* sql<{ count: number }>`select count(*)::int as count from ticket where customer_id = 1`
  expect(items).toHaveLength((yield* Effect.fromNullable(count)).count)
  const texts = yield* sql<{ id: number; text: string }>`
    select ticket_id as id, message as text from ticket_message where customer_id = 1 and message is not null`
  const people = yield* sql<{ id: number; text: string }>`
    select end_user_id as id, search_text as text from end_user where customer_id = 1`
  const uids = yield* sql<{ id: number; uid: string }>`
    select end_user_id as id, uid from end_user_uid where customer_id = 1`
  return items.map(
    (row): Sought => ({
      ...row,
      texts: [
        row.subject ?? "",
        ...texts.filter(({ id }) => id === row.ticketID).map(({ text }) => text),
        ...people.filter(({ id }) => id === row.endUserID).map(({ text }) => text)
      ].map((text) => text.toLowerCase()),
      uids: uids.filter(({ id }) => id === row.endUserID).map(({ uid }) => uid.toLowerCase())
    })
  )
})

const words = ["key", "KE", "radiator", "the", "a", "o", "%", "_", "\\", "100%", "Keller", "mail.example", "T-100"]

const isAny = (wanted: string, actual: unknown) => String(actual).toLowerCase() === wanted.toLowerCase()

/** What each filter means, stated independently of the service. */
const meanings: Readonly<Record<string, (ticket: Sought, wanted: string) => boolean>> = {
  status: ({ status }, wanted) => isAny(wanted, status),
  channelType: ({ channelType }, wanted) => isAny(wanted, channelType),
  channelIDs: ({ channelID }, wanted) => wanted.split(",").includes(String(channelID)),
  customerRepID: ({ customerRepID }, wanted) => isAny(wanted, customerRepID),
  UID: ({ uids }, wanted) => uids.includes(wanted.toLowerCase()),
  isClosed: ({ isClosed }, wanted) => isAny(wanted, isClosed),
  isSpam: ({ isSpam }, wanted) => isAny(wanted, isSpam),
  search: ({ texts }, wanted) =>
    texts.some((text) =>
      wanted
        .toLowerCase()
        .split(" ")
        .every((word) => text.includes(word))
    )
}

/** Up to three filters at once: more would leave no results. */
const filters = (channelIDs: ReadonlyArray<number>) => {
  const each = {
    status: fc.constantFrom("Open", "pending", "ESCALATED", "Closed"),
    channelType: fc.constantFrom("Email", "chat", "Phone", "WhatsApp"),
    channelIDs: fc.subarray([...channelIDs], { minLength: 1 }).map((ids) => ids.join(",")),
    customerRepID: fc.constantFrom("1", "2", "2147483647"),
    UID: fc.constantFrom("maria.keller@mail.example", "T-1002", "t-1002", "nobody"),
    isClosed: fc.constantFrom("true", "False"),
    isSpam: fc.constantFrom("true", "false"),
    search: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }).map((some) => some.join(" "))
  }
  return fc
    .tuple(fc.subarray(Object.keys(each), { maxLength: 3 }), fc.record(each))
    .map(([names, values]) => Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))))
}

const paging = fc.record({
  pageSize: fc.constantFrom(1, 3, 20, 200),
  pageNumber: fc.constantFrom(1, 2, 7),
  sortBy: fc.constantFrom("ticketID", "status", "subject", "channelID", "endUserID", "isSpam", "lastMessageDate"),
  sortOrder: fc.constantFrom("asc", "desc")
})

const folded = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value)

/** Null comes before everything else. */
const compare = (a: unknown, b: unknown) => {
  if (a === b) return 0
  if (a === null || a === undefined) return -1
  if (b === null || b === undefined) return 1
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number(a) - Number(b)
}

layer(quietApp(), { excludeTestServices: true })("The list of tickets", (it) => {
  it.effect("contains exactly the tickets that match the filters, whatever is asked for", () =>
    Effect.gen(function* () {
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const people = (yield* endUsers.listEndUsers({ urlParams: { pageSize: 200 } })).items
      const channelIDs = [yield* newChannel("acme-admin"), yield* newChannel("acme-admin", "Phone")] as const
      for (const [index, subject] of [
        "100% key",
        "A_B key",
        "back\\slash",
        "Key KEY",
        null,
        "zero",
        "Ärger"
      ].entries()) {
        const endUserID = people[index % people.length]?.EndUserID
        const { ticketID } = yield* newTicket({
          channelID: channelIDs[index % 2 === 0 ? 0 : 1],
          ...(subject !== null && { subject }),
          ...(endUserID !== undefined && index % 3 !== 0 && { endUserID })
        })
        const status = (["Open", "Pending", "Escalated", "Closed"] as const)[index % 4] ?? "Open"
        const customerRepID = index < 4 ? CustomerRepID.make(1 + (index % 2)) : null
        yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status, customerRepID } })
        if (status !== "Escalated") {
          yield* tickets.updateTicket({ path: { id: ticketID }, payload: { isSpam: index % 2 === 1 } })
        }
      }
      const all = yield* everything
      const known = [...new Set(all.map(({ channelID }) => channelID))]
      const samples = fc.sample(fc.tuple(filters(known), paging), { numRuns: 100, seed: 7 })
      const check = Effect.fnUntraced(function* ([
        filter,
        { pageNumber, pageSize, sortBy, sortOrder }
      ]: (typeof samples)[number]) {
        const given = Object.entries(filter)
        const wanted = all
          .filter((ticket) => given.every(([name, value]) => meanings[name]?.(ticket, String(value))))
          .sort((a, b) => {
            const [one, other] = [field(a, sortBy), field(b, sortBy)].map(folded)
            const order = compare(one, other) || a.ticketID - b.ticketID
            return sortOrder === "asc" ? order : -order
          })
        const query = new URLSearchParams({
          ...filter,
          pageNumber: String(pageNumber),
          pageSize: String(pageSize),
          sortBy,
          sortOrder
        })
        const page = yield* ask(`?${query}`)
        expect([
          query.toString(),
          page.items.map(({ ticketID }) => ticketID),
          page.totalCount,
          page.totalPages
        ]).toEqual([
          query.toString(),
          wanted.slice((pageNumber - 1) * pageSize, pageNumber * pageSize).map(({ ticketID }) => ticketID),
          wanted.length,
          Math.ceil(wanted.length / pageSize)
        ])
        return wanted.length
      })
      const hits = yield* Effect.forEach(samples, check, { concurrency: 4 })
      expect(hits.filter((count) => count > 0).length).toBeGreaterThan(30)
    })
  )

  it.effect("is sorted newest first by default, and by every field in either direction", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { items, totalCount } = yield* ask("?pageSize=200")
      const dates = items.map(({ dateCreated }) => dateCreated)
      expect(dates).toEqual(dates.toSorted().toReversed())
      expect((yield* ask("")).items).toEqual(items.slice(0, 20))
      for (const sortBy of "ticketID dateCreated status subject channelID channelType endUserID customerRepID isClosed isSpam language lastMessageDate lastSenderType ticketToken".split(
        " "
      )) {
        const up = yield* ask(`?pageSize=200&sortBy=${sortBy.toUpperCase()}`)
        const down = yield* ask(`?pageSize=200&sortBy=${sortBy}&sortOrder=DESC`)
        expect(down.items).toEqual(up.items.toReversed())
        expect(up.totalCount).toBe(totalCount)
        const values = up.items.map((item) => folded(field(item, sortBy)))
        expect([sortBy, values]).toEqual([sortBy, values.toSorted(compare)])
      }
      for (const wrong of [
        "sortBy=topic",
        "sortOrder=up",
        "pageSize=201",
        "pageNumber=0",
        "isClosed=1",
        "status=Done"
      ]) {
        expect(yield* refusedPaths("GET", `/tickets?${wrong}`, token)).toEqual([wrong.split("=")[0]])
      }
      for (const wrong of ["channelIDs=", "channelIDs=1,,2", "channelIDs=1,x", "channelType=Fax", "search=%00"]) {
        expect((yield* refusedPaths("GET", `/tickets?${wrong}`, token))[0]).toMatch(/^(?:channel|search)/)
      }
    })
  )

  it.effect("accepts several channels, separated by commas or repeated, and none of other customers", () =>
    Effect.gen(function* () {
      const mine = [yield* newChannel("acme-admin"), yield* newChannel("acme-admin")] as const
      const theirs = yield* newChannel("globex-admin")
      const [a, b] = [yield* newTicket({ channelID: mine[0] }), yield* newTicket({ channelID: mine[1] })]
      yield* newTicket({ channelID: theirs }, "globex")
      const wanted = [b.ticketID, a.ticketID]
      for (const query of [
        `?channelIDs=${mine.join(",")}`,
        `?channelids=${mine.join("%2C%20")}`,
        `?channelIDs=${mine[0]}&channelIDs=${mine[1]}`,
        `?channelIDs=${mine[0]}&CHANNELIDS=${mine[1]},${theirs}`
      ]) {
        const { items, totalCount } = yield* ask(query)
        expect([query, items.map(({ ticketID }) => ticketID), totalCount]).toEqual([query, wanted, 2])
      }
      expect(yield* ask(`?channelIDs=${theirs}`)).toEqual({ items: [], totalCount: 0, totalPages: 0 })
    })
  )

  it.effect("finds parts of words in the subject, in messages and in the end user's name, address and UIDs", () =>
    Effect.gen(function* () {
      const { endUsers, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const { EndUserID: endUserID } = yield* endUsers.createEndUser({
        payload: {
          FirstName: "Zdeněk",
          LastName: "Quist",
          Email: "zq@Quirk.example",
          Notes: "zzhidden",
          UIDs: [{ UID: "Zed-0815" }]
        }
      })
      const { ticketID } = yield* newTicket({ subject: "Wobbly 50%_Offer Straße ÜBERLAUF", endUserID })
      yield* ticketMessagesOnPhone.createTicketMessage({
        payload: { ticketID, message: "The Dishwasher leaks\nthrough the Ceiling" }
      })
      const other = yield* newTicket({ subject: "Wobbly other" })
      for (const search of [
        "wobBLY offer",
        "ffe",
        "0%_o",
        "dishw CEIL",
        "leaks\n  through",
        "quist",
        "QUIRK.ex",
        "zed-08",
        "straße",
        "über",
        "ZDENĚK quist",
        "Zdene\u030ck"
      ]) {
        expect([search, yield* found(search)]).toEqual([search, [ticketID]])
      }
      expect(yield* found("wobbly")).toEqual([ticketID, other.ticketID])
      // The number by which people call a ticket; another customer's finds nothing.
      expect(yield* found(`#${other.ticketID}`)).toEqual([other.ticketID])
      expect(yield* found(` ${other.ticketID} `)).toContain(other.ticketID)
      expect(yield* found(`#${other.ticketID}`, "globex-admin")).toEqual([])
      expect(yield* found("#99999999999")).toEqual([])
      // The same text finds itself, and each way to write an accent finds the other.
      for (const text of ["İSTANBUL", "ΟΔΟΣ", "M\u00e9nag\u00e8re", "Re\u0301sume\u0301", "Ｆｕｌｌ"]) {
        const { ticketID: own } = yield* newTicket({ subject: text })
        const { ticketID: said } = yield* newTicket({})
        yield* ticketMessagesOnPhone.createTicketMessage({ payload: { ticketID: said, message: `a ${text}!` } })
        for (const spelled of [text, text.normalize("NFC"), text.normalize("NFD")]) {
          expect([spelled, yield* found(spelled)]).toEqual([spelled, [own, said]])
        }
      }
      for (const nothing of ["50_%", "w_bbly", "wob%", "zzhidden", "dishwasher quist", "wobb\\", "wobbly nobody"]) {
        expect([nothing, yield* found(nothing)]).toEqual([nothing, []])
      }
      expect((yield* found("   ")).length).toBeGreaterThan(5)
      expect(yield* found("wobbly", "globex-admin")).toEqual([])
      expect((yield* ask("?UID=ZED-0815")).items.map((item) => item.ticketID)).toEqual([ticketID])
      expect((yield* ask("?UID=%20Zed-0815%20")).totalCount).toBe(1)
      expect((yield* ask("?UID=zed-081")).totalCount).toBe(0)
      yield* endUsers.updateEndUser({ path: { id: endUserID }, payload: { LastName: "Renamed" } })
      expect([yield* found("quist"), yield* found("renamed")]).toEqual([[], [ticketID]])
    })
  )
})
