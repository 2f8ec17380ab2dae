import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TicketID } from "../../schema/Ids.ts"
import type { TicketBulk } from "../../schema/Tickets.ts"
import { clientOf, quietApp, sendJson, tokenOf } from "../support/TestApp.ts"
import { refusedPaths } from "../topics/Mappings.ts"
import { eventsOf, newTicket } from "./TicketTools.ts"

const some = (count: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => newTicket()),
    (made) => made.map(({ ticketID }) => ticketID)
  )

const bulk = (payload: TicketBulk) =>
  Effect.flatMap(clientOf("acme-admin"), ({ tickets }) => tickets.bulkUpdateTickets({ payload }))

const read = (ids: ReadonlyArray<TicketID>) =>
  Effect.flatMap(clientOf("acme-admin"), ({ tickets }) =>
    Effect.forEach(ids, (id) => tickets.getTicket({ path: { id } }))
  )

const statusesOf = (ids: ReadonlyArray<TicketID>) => Effect.map(read(ids), (all) => all.map(({ status }) => status))

layer(quietApp(), { excludeTestServices: true })("Changing many tickets", (it) => {
  it.effect("does the same to each as a single change, and records it once", () =>
    Effect.gen(function* () {
      const ids = yield* some(3)
      const [first = TicketID.make(1)] = ids
      const { representatives, tickets } = yield* clientOf("acme-admin")
      const { items } = yield* representatives.listCustomerReps({ urlParams: { search: "acme-agent" } })
      const { customerRepID } = yield* Effect.fromNullable(items[0])
      yield* tickets.updateTicket({ path: { id: first }, payload: { isClosed: true } })
      const doubled = [...ids, ...ids, first]
      yield* bulk({ ticketIDs: doubled, action: "close" })
      expect(yield* statusesOf(ids)).toEqual(["Closed", "Closed", "Closed"])
      yield* bulk({ ticketIDs: ids, action: "reopen" })
      yield* bulk({ ticketIDs: ids, action: "reopen" })
      yield* bulk({ ticketIDs: ids, action: "assign", customerRepID })
      expect((yield* read(ids)).map((ticket) => ticket.customerRepID)).toEqual(ids.map(() => customerRepID))
      yield* bulk({ ticketIDs: ids, action: "escalate", customerRepID })
      yield* bulk({ ticketIDs: ids, action: "spam" })
      expect((yield* read(ids)).map(({ isSpam, status }) => [isSpam, status])).toEqual(ids.map(() => [true, "Open"]))
      yield* bulk({ ticketIDs: ids, action: "notSpam" })
      for (const id of ids) {
        expect((yield* eventsOf(id)).join(" ")).toBe(
          "TicketCreated TicketClosed TicketReopened TicketAssigned TicketEscalated TicketMarkedSpam TicketStatusChanged TicketMarkedNotSpam"
        )
      }
      yield* bulk({ ticketIDs: doubled, action: "delete" })
      expect(yield* Effect.flip(tickets.getTicket({ path: { id: first } }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("reports what is wrong with the request", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const [id] = yield* some(1)
      const refused = (body: unknown) => refusedPaths("PUT", "/tickets/bulk", token, body)
      expect(yield* refused({ ticketIDs: [], action: "close" })).toEqual(["ticketIDs"])
      expect(yield* refused({})).toEqual(["ticketIDs", "action"])
      expect(yield* refused({ ticketIDs: [0, "x"], action: "close" })).toEqual(["ticketIDs.0", "ticketIDs.1"])
      expect(yield* refused({ ticketIDs: [id], action: "burn" })).toEqual(["action"])
      expect(yield* refused({ ticketIDs: [id], action: "ASSIGN" })).toEqual(["customerRepID"])
      expect(yield* refused({ ticketIDs: [id], action: "assign", customerRepID: null })).toEqual(["customerRepID"])
      expect(yield* refused({ ticketIDs: [id], action: "assign", customerRepID: 2_147_483_647 })).toEqual([
        "customerRepID"
      ])
      for (const action of ["close", "delete"]) {
        expect(yield* refused({ ticketIDs: [id], action, customerRepID: 2_147_483_647 })).toEqual(["customerRepID"])
      }
      const many = (count: number) => Array.from({ length: count }, (_, index) => 1_000_000_000 + index)
      expect(yield* refused({ ticketIDs: many(501), action: "close" })).toEqual(["ticketIDs"])
      const most = yield* sendJson("PUT", "/tickets/bulk", { token, body: { ticketIDs: many(500), action: "close" } })
      expect(most.status).toBe(404)
      // An id may be repeated any number of times.
      const often = { ticketIDs: Array.from({ length: 600 }, () => id), action: "close" }
      expect((yield* sendJson("PUT", "/tickets/bulk", { token, body: often })).status).toBe(204)
    })
  )

  it.effect("changes all of them or none", () =>
    Effect.gen(function* () {
      const ids = yield* some(3)
      const { tickets } = yield* clientOf("acme-admin")
      const foreign = (yield* newTicket({}, "globex")).ticketID
      for (const stranger of [foreign, TicketID.make(2_147_483_646)]) {
        for (const action of ["close", "delete", "spam"] as const) {
          expect(yield* Effect.flip(bulk({ ticketIDs: [...ids, stranger], action }))).toMatchObject({
            status: 404,
            message: `There is no ticket ${stranger}.`
          })
        }
      }
      const [, second = TicketID.make(1)] = ids
      yield* tickets.updateTicket({ path: { id: second }, payload: { isSpam: true } })
      expect(yield* Effect.flip(bulk({ ticketIDs: ids, action: "escalate" }))).toMatchObject({ status: 409 })
      expect(yield* statusesOf(ids)).toEqual(["Open", "Open", "Open"])
      expect(yield* Effect.forEach(ids, eventsOf)).toEqual([
        ["TicketCreated"],
        ["TicketCreated", "TicketMarkedSpam"],
        ["TicketCreated"]
      ])
      const { tickets: globex } = yield* clientOf("globex-admin")
      expect((yield* globex.getTicket({ path: { id: foreign } })).status).toBe("Open")
    })
  )

  it.effect("never deadlocks when done concurrently in any order, and records everything once", () =>
    Effect.gen(function* () {
      const ids = yield* some(12)
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => index),
        (index) => bulk({ ticketIDs: index % 2 === 0 ? ids : ids.toReversed(), action: "escalate" }),
        { concurrency: 12 }
      )
      expect(new Set(yield* statusesOf(ids))).toEqual(new Set(["Escalated"]))
      for (const id of ids) expect(yield* eventsOf(id)).toEqual(["TicketCreated", "TicketEscalated"])
    })
  )
})
