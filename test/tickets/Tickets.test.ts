import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChannelID, CustomerRepID, EndUserID } from "../../schema/Ids.ts"
import { field, fieldsOf, listIn, numberIn } from "../support/Fields.ts"
import { clientOf, headerOf, quietApp, send, sendJson, tokenOf } from "../support/TestApp.ts"
import { newChannel, refusedPaths } from "../topics/Mappings.ts"
import { channelOf, eventsOf, newTicket, tallied } from "./TicketTools.ts"

layer(quietApp(), { excludeTestServices: true })("Tickets", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { tickets } = yield* clientOf("acme-agent")
      const channelID = yield* channelOf("Chat")
      const created = yield* tickets.createTicket({
        payload: { subject: "The key", channelID, customFieldsData: { flat: 3, deep: { a: [1, null] } } }
      })
      expect(created).toMatchObject({
        status: "Open",
        subject: "The key",
        channelID,
        channelType: "Chat",
        endUserID: null,
        customerRepID: null,
        isClosed: false,
        isSpam: false,
        language: null,
        lastMessageDate: null,
        lastSenderType: null,
        topics: [],
        aiFeedbackComments: [],
        customFieldsData: { flat: 3, deep: { a: [1, null] } }
      })
      expect(created.ticketToken).toMatch(/^[0-9a-f-]{36}$/)
      const path = { id: created.ticketID }
      expect(yield* tickets.getTicket({ path })).toEqual(created)

      yield* tickets.updateTicket({ path, payload: { subject: "The lock", language: "de" } })
      const changed = yield* tickets.getTicket({ path })
      expect(changed).toEqual({ ...created, subject: "The lock", language: "de" })
      yield* tickets.updateTicket({ path, payload: { subject: null, language: null, customFieldsData: null } })
      expect(yield* tickets.getTicket({ path })).toMatchObject({ subject: null, language: null, customFieldsData: {} })
      const exact = { largest: 9007199254740991, least: -9007199254740991, part: 1.5e-7 }
      yield* tickets.updateTicket({ path, payload: { customFieldsData: exact } })
      expect((yield* tickets.getTicket({ path })).customFieldsData).toEqual(exact)
      yield* tickets.updateTicket({ path, payload: { customFieldsData: { only: "this" } } })
      expect((yield* tickets.getTicket({ path })).customFieldsData).toEqual({ only: "this" })

      yield* tickets.deleteTicket({ path })
      for (const gone of [
        tickets.getTicket({ path }),
        tickets.updateTicket({ path, payload: {} }),
        tickets.deleteTicket({ path })
      ]) {
        expect(yield* Effect.flip(gone)).toMatchObject({ status: 404 })
      }
    })
  )

  it.effect("are served under both paths, with names in any case", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const channelID = yield* channelOf()
      const body = { SUBJECT: "Either way", ChannelId: channelID, STATUS: "pending", customfieldsdata: { Kept: 1 } }
      for (const family of ["/tickets", "/api/Tickets", "/API/tickets/"]) {
        const { json, status } = yield* sendJson("POST", family, { token, body })
        expect([status, field(json, "status"), field(json, "customFieldsData")]).toEqual([200, "Pending", { Kept: 1 }])
        const ticketID = numberIn(json, "ticketID")
        const path = `${family.replace(/\/$/, "")}/${ticketID}`
        expect((yield* sendJson("GET", path, { token })).json).toEqual(json)
        expect((yield* sendJson("PUT", path, { token, body: { isclosed: true } })).status).toBe(204)
        expect((yield* sendJson("GET", path, { token })).json).toMatchObject({ status: "Closed", isClosed: true })
        const ids = { ticketIds: [ticketID], action: "DELETE" }
        const bulk = yield* sendJson("PUT", `${family.replace(/\/$/, "")}/bulk`, { token, body: ids })
        expect([bulk.status, bulk.text]).toEqual([204, ""])
        expect((yield* sendJson("GET", path, { token })).status).toBe(404)
      }
      const { json } = yield* sendJson("GET", "/api/Tickets?PAGESIZE=1", { token })
      expect(Object.keys(fieldsOf(json)).sort()).toEqual(["items", "totalCount", "totalPages"])
      expect(Object.keys(fieldsOf(listIn(json, "items")[0])).sort()).toEqual(
        "aiFeedbackComments channelID channelType customFieldsData customerRepID dateCreated endUserID isClosed isSpam language lastMessageDate lastSenderType status subject ticketID ticketToken topics".split(
          " "
        )
      )
    })
  )

  it.effect("are refused with every problem at once, and nothing is written", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const channelID = yield* channelOf()
      const { ticketID } = yield* newTicket({ subject: "Whole" })
      const path = `/tickets/${ticketID}`
      const before = yield* tallied()
      expect(yield* refusedPaths("POST", "/tickets", token, {})).toEqual(["channelID"])
      const wrong = { channelID: 0, endUserID: "x", status: "Done", subject: "x".repeat(1001), customFieldsData: [] }
      expect((yield* refusedPaths("POST", "/tickets", token, wrong)).toSorted()).toEqual(Object.keys(wrong).toSorted())
      expect(yield* refusedPaths("PUT", path, token, { status: "Done", isClosed: "no", isSpam: null })).toEqual([
        "status",
        "isClosed",
        "isSpam"
      ])
      for (const contradiction of [
        { status: "Open", isClosed: true },
        { status: "CLOSED", isClosed: false },
        { Status: "Escalated", ISCLOSED: true, subject: "Broken" }
      ]) {
        expect(yield* refusedPaths("PUT", path, token, contradiction)).toEqual(["isClosed"])
      }
      for (const customFieldsData of [{ "a\u0000": 1 }, { a: ["\ud800"] }]) {
        expect(yield* refusedPaths("PUT", path, token, { customFieldsData })).toEqual(["customFieldsData"])
        expect(yield* refusedPaths("POST", "/tickets", token, { channelID, customFieldsData })).toEqual([
          "customFieldsData"
        ])
      }
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      for (const [fields, why] of [
        ['{"a":[1e400]}', "1.8e308"],
        ['{"a":9007199254740993}', "send longer numbers as text"],
        ['{"a":{"b":[-12345678901234567890]}}', "send longer numbers as text"],
        ['{"__proto__":"x"}', "the name __proto__"],
        ['{"a":{"\\u005f_proto__":{"b":1}}}', "the name __proto__"]
      ] as const) {
        const refused = yield* send("PUT", path, { headers, body: `{"customFieldsData":${fields}}` })
        expect([fields, refused.status, field(refused.json, "details")]).toEqual([
          fields,
          400,
          [{ path: "customFieldsData", message: expect.stringContaining(why) }]
        ])
      }
      const { tickets } = yield* clientOf("acme-admin")
      expect(yield* tickets.getTicket({ path: { id: ticketID } })).toMatchObject({ subject: "Whole", status: "Open" })
      expect(yield* tallied()).toBe(before)
      expect(yield* eventsOf(ticketID)).toEqual(["TicketCreated"])
    })
  )

  it.effect("accept no channel, end user or representative of another customer", () =>
    Effect.gen(function* () {
      const { tickets } = yield* clientOf("acme-admin")
      const sql = yield* SqlClient.SqlClient
      const foreign = {
        channelID: yield* channelOf("Email", "globex"),
        endUserID: EndUserID.make(
          Number((yield* sql<{ id: number }>`select min(end_user_id) as id from end_user where customer_id = 2`)[0]?.id)
        ),
        customerRepID: CustomerRepID.make(
          Number(
            (yield* sql<{ id: number }>`select min(customer_rep_id) as id from customer_rep where customer_id = 2`)[0]
              ?.id
          )
        )
      }
      const { ticketID } = yield* newTicket({ subject: "Mine" })
      const path = { id: ticketID }
      const missing = EndUserID.make(2_147_483_647)
      const deleted = yield* newChannel("acme-admin", "Chat", { isDeleted: true })
      const refused = (payload: Parameters<typeof tickets.updateTicket>[0]["payload"]) =>
        Effect.flip(tickets.updateTicket({ path, payload: { subject: "Stolen", status: "Closed", ...payload } }))
      expect(yield* refused(foreign)).toMatchObject({
        status: 400,
        details: [{ path: "channelID" }, { path: "customerRepID" }, { path: "endUserID" }]
      })
      expect(yield* refused({ endUserID: missing })).toMatchObject({ status: 400, details: [{ path: "endUserID" }] })
      expect(yield* refused({ channelID: deleted })).toMatchObject({ status: 400, details: [{ path: "channelID" }] })
      // A ticket may keep what it has, even when that was deleted meanwhile.
      const channelID = yield* newChannel("acme-admin", "Chat")
      const { ticketID: id } = yield* newTicket({ channelID })
      const { channels } = yield* clientOf("acme-admin")
      yield* channels.deleteChannel({ path: { id: channelID } })
      yield* tickets.updateTicket({ path: { id }, payload: { channelID, language: "de" } })
      expect(yield* tickets.getTicket({ path: { id } })).toMatchObject({ channelID, language: "de" })
      const before = yield* tallied()
      const { customerRepID: _, ...onCreate } = foreign
      expect(yield* Effect.flip(tickets.createTicket({ payload: onCreate }))).toMatchObject({
        status: 400,
        details: [{ path: "channelID" }, { path: "endUserID" }]
      })
      expect(yield* tallied()).toBe(before)
      expect(yield* tickets.getTicket({ path })).toMatchObject({ subject: "Mine", status: "Open", customerRepID: null })
      expect(yield* eventsOf(ticketID)).toEqual(["TicketCreated"])
      const { tickets: globex } = yield* clientOf("globex-admin")
      for (const attempt of [
        globex.getTicket({ path }),
        globex.updateTicket({ path, payload: { subject: "x" } }),
        globex.deleteTicket({ path })
      ]) {
        expect(yield* Effect.flip(attempt)).toMatchObject({ status: 404, message: `There is no ticket ${ticketID}.` })
      }
    })
  )

  it.effect("record every change once, and nothing without a change", () =>
    Effect.gen(function* () {
      const { representatives, tickets } = yield* clientOf("acme-admin")
      const { items } = yield* representatives.listCustomerReps({ urlParams: { search: "acme-agent" } })
      const { customerRepID } = yield* Effect.fromNullable(items[0])
      const { ticketID } = yield* newTicket({ subject: "Told" })
      const path = { id: ticketID }
      const put = (payload: Parameters<typeof tickets.updateTicket>[0]["payload"]) =>
        Effect.zipRight(
          tickets.updateTicket({ path, payload }),
          Effect.map(eventsOf(ticketID), (events) => events.slice(1).join(" "))
        )
      let told = ""
      const step = (payload: Parameters<typeof put>[0], happened: string) =>
        Effect.gen(function* () {
          told = `${told} ${happened}`.trim()
          expect([payload, yield* put(payload)]).toEqual([payload, told])
          expect([payload, "again", yield* put(payload)]).toEqual([payload, "again", told])
        })
      yield* step({}, "")
      yield* step({ subject: "Told", status: "Open", isClosed: false, isSpam: false, endUserID: null }, "")
      yield* step({ status: "Pending" }, "TicketStatusChanged")
      yield* step({ isClosed: false }, "")
      yield* step({ isClosed: true }, "TicketClosed")
      yield* step({ isClosed: false }, "TicketReopened")
      yield* step({ status: "Closed", isClosed: true }, "TicketClosed")
      yield* step({ status: "Escalated" }, "TicketReopened TicketEscalated")
      yield* step({ isSpam: true }, "TicketMarkedSpam TicketStatusChanged")
      expect(yield* Effect.flip(put({ status: "Escalated", subject: "Not written" }))).toMatchObject({ status: 409 })
      expect(yield* Effect.flip(put({ status: "Escalated", customerRepID }))).toMatchObject({ status: 409 })
      yield* step({ isSpam: false, status: "Escalated" }, "TicketMarkedNotSpam TicketEscalated")
      yield* step({ customerRepID }, "TicketAssigned")
      yield* step({ customerRepID: null }, "TicketUnassigned")
      yield* step({ customFieldsData: { a: 1, b: [1, 2] } }, "TicketChanged")
      yield* step({ subject: "Retold", language: "en" }, "TicketChanged")
      expect(yield* tickets.getTicket({ path })).toMatchObject({
        subject: "Retold",
        status: "Escalated",
        isSpam: false
      })
    })
  )

  it.effect("carry an ETag that guards changes, and lets one of many through", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { ticketID } = yield* newTicket({ subject: "Guarded" })
      const path = `/tickets/${ticketID}`
      const read = (headers = {}) => sendJson("GET", path, { token, headers })
      const etag = headerOf(yield* read(), "etag")
      expect(etag).toMatch(/^"[\w-]{20,}"$/)
      expect((yield* read({ "if-none-match": etag })).status).toBe(304)
      const put = (ifMatch: string, body: object) =>
        Effect.map(sendJson("PUT", path, { token, body, headers: { "if-match": ifMatch } }), ({ status }) => status)
      expect(yield* put('"other"', { subject: "x" })).toBe(412)
      const race = yield* Effect.forEach(["one", "two", "three", "four"], (subject) => put(etag, { subject }), {
        concurrency: 4
      })
      expect(race.toSorted()).toEqual([204, 412, 412, 412])
      const later = yield* read()
      expect(later.headers.get("etag")).not.toBe(etag)
      // A new message changes the ticket, too.
      yield* sendJson("POST", "/ticketMessages/create-new", { token, body: { ticketID, message: "hello" } })
      expect(yield* put(headerOf(later, "etag"), { subject: "late" })).toBe(412)
    })
  )

  it.effect("are counted exactly, whatever happens to them and however much at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tickets } = yield* clientOf("acme-admin")
      const channels = [yield* newChannel("acme-admin"), yield* newChannel("acme-admin", "Chat")]
      const [first = ChannelID.make(1), second = ChannelID.make(1)] = channels
      const made = yield* Effect.all(
        Array.from({ length: 24 }, (_, index) => newTicket({ channelID: index % 2 === 0 ? first : second })),
        { concurrency: 8 }
      )
      const ids = made.map(({ ticketID }) => ticketID)
      const put = (id: (typeof ids)[number], payload: Parameters<typeof tickets.updateTicket>[0]["payload"]) =>
        tickets.updateTicket({ path: { id }, payload })
      yield* Effect.forEach(
        [
          ...ids.map((id, index) =>
            put(id, { status: (["Open", "Pending", "Escalated", "Closed"] as const)[index % 4] ?? "Open" })
          ),
          ...ids.slice(0, 8).map((id) => put(id, { channelID: second })),
          ...ids.slice(4, 12).map((id) => put(id, { isClosed: true })),
          tickets.bulkUpdateTickets({ payload: { ticketIDs: ids.slice(6, 16), action: "spam" } }),
          tickets.bulkUpdateTickets({ payload: { ticketIDs: ids.slice(8, 20), action: "close" } }),
          tickets.bulkUpdateTickets({ payload: { ticketIDs: ids.slice(20, 22), action: "delete" } }),
          ...ids.slice(22).map((id) => tickets.deleteTicket({ path: { id } }))
        ],
        (change) => Effect.either(change),
        { concurrency: 12, discard: true }
      )
      for (const channelIDs of [`${first}`, `${second}`, `${first},${second}`]) {
        for (const more of ["", "&status=Closed", "&isClosed=false", "&isSpam=true", "&status=Open&isSpam=false"]) {
          const query = `&channelIDs=${channelIDs}${more}`
          const asked = new URLSearchParams(query)
          const rows = yield* sql<{ count: number }>`
            select count(*)::int as count from ticket where customer_id = 1
              and channel_id = any(${channelIDs.split(",").map(Number)}::int[])
              and (${asked.get("status")}::text is null or status = ${asked.get("status")})
              and (${asked.get("isClosed")}::boolean is null or (status = 'Closed') = ${asked.get("isClosed")}::boolean)
              and (${asked.get("isSpam")}::boolean is null or is_spam = ${asked.get("isSpam")}::boolean)`
          expect([query, yield* tallied(query)]).toEqual([query, rows[0]?.count])
        }
      }
      expect(yield* tallied(`&channelIDs=${first},${second}`)).toBe(20)
      const [all] = yield* sql<{ count: number }>`select count(*)::int as count from ticket where customer_id = 1`
      expect(yield* tallied()).toBe(all?.count)
    })
  )
})
