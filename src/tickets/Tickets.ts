import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { type BadRequest, type Conflict, NotFound } from "../../schema/Errors.ts"
import type { CustomerID, EndUserID, TicketID } from "../../schema/Ids.ts"
import type { Ticket, TicketBulk, TicketCreate, TicketPage, TicketsQuery, TicketUpdate } from "../../schema/Tickets.ts"
import { UnsentDrafts } from "../delivery/UnsentDrafts.ts"
import { Events } from "../events/Events.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences, newReferences, type Reference } from "../platform/database/OwnReferences.ts"
import type { ReadyJson } from "../platform/database/ReadyJson.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketChanges } from "./TicketChanges.ts"
import { bulkCommand, commandsOf, plainChanges } from "./TicketCommands.ts"
import { TicketListRepo } from "./TicketListRepo.ts"
import { TicketsRepo } from "./TicketsRepo.ts"

export class Tickets extends Context.Tag("casework/Tickets")<
  Tickets,
  {
    readonly list: (query: TicketsQuery) => Effect.Effect<ReadyJson<TicketPage>, never, CurrentRep>
    /** The tickets of an end user already known to belong to the customer. */
    readonly listOfEndUser: (
      endUserID: EndUserID,
      query: TicketsQuery
    ) => Effect.Effect<ReadyJson<TicketPage>, never, CurrentRep>
    readonly get: (ticketID: TicketID) => Effect.Effect<ReadyJson<Ticket>, NotFound, CurrentRep>
    readonly create: (ticket: TicketCreate) => Effect.Effect<ReadyJson<Ticket>, BadRequest, CurrentRep>
    readonly update: (
      ticketID: TicketID,
      change: TicketUpdate
    ) => Effect.Effect<void, BadRequest | NotFound | Conflict, CurrentRep>
    readonly bulk: (bulk: TicketBulk) => Effect.Effect<void, BadRequest | NotFound | Conflict, CurrentRep>
    readonly delete: (ticketID: TicketID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Tickets,
    Effect.suspend(() => make)
  )
}

const missing = (ticketID: TicketID) => `There is no ticket ${ticketID}.`

const referencesOf = ({
  channelID,
  customerRepID,
  endUserID
}: Partial<Pick<TicketUpdate, "channelID" | "customerRepID" | "endUserID">>): ReadonlyArray<Reference> => {
  const given = { channel: { channelID }, customer_rep: { customerRepID }, end_user: { endUserID } } as const
  return (["channel", "customer_rep", "end_user"] as const).flatMap((kind) =>
    Object.entries(given[kind]).flatMap(([path, id]) => (typeof id === "number" ? [{ kind, path, id }] : []))
  )
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* TicketsRepo
  const ticketList = yield* TicketListRepo
  const changes = yield* TicketChanges
  const events = yield* Events
  const drafts = yield* UnsentDrafts
  const checkOwnReferences = yield* makeCheckOwnReferences

  const get = (customerID: CustomerID, ticketID: TicketID) =>
    ticketList.find(customerID, ticketID).pipe(orNotFound(missing(ticketID)))

  /** Locks all of the tickets, or fails with 404 for the first missing one. */
  const lockAll = fn("Tickets.lockAll")(function* (customerID: CustomerID, ticketIDs: ReadonlyArray<TicketID>) {
    const tickets = yield* repo.lock(customerID, ticketIDs)
    const found = new Set(tickets.map(({ ticketID }) => ticketID))
    const absent = ticketIDs.find((ticketID) => !found.has(ticketID))
    return absent === undefined ? tickets : yield* NotFound.of(missing(absent))
  })

  /** Deletes tickets that this transaction has locked. */
  const remove = fn("Tickets.remove")(function* (customerID: CustomerID, ticketIDs: ReadonlyArray<TicketID>) {
    yield* drafts.withdraw(customerID, { ticketIDs })
    yield* repo.delete(customerID, ticketIDs)
  })

  return Tickets.of({
    list: fn("Tickets.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* ticketList.list(customerID, query)
    }),

    listOfEndUser: fn("Tickets.listOfEndUser")(function* (endUserID, query) {
      const { customerID } = yield* CurrentRep
      return yield* ticketList.list(customerID, { ...query, endUserID })
    }),

    get: fn("Tickets.get")(function* (ticketID) {
      const { customerID } = yield* CurrentRep
      return yield* get(customerID, ticketID)
    }),

    create: fn("Tickets.create")(function* ({
      channelID,
      customFieldsData = {},
      endUserID = null,
      status = "Open",
      subject = null
    }) {
      const { customerID } = yield* CurrentRep
      yield* checkOwnReferences(customerID, referencesOf({ channelID, endUserID }))
      const ticketID = yield* repo.insert(customerID, { channelID, endUserID, status, subject, customFieldsData })
      yield* events.record(customerID, [{ kind: "TicketCreated", ticketID }])
      return yield* Effect.flatMap(
        ticketList.find(customerID, ticketID),
        Option.match({
          onNone: () => Effect.dieMessage("A ticket that was just made is not there"),
          onSome: Effect.succeed
        })
      )
    }, inTransaction),

    update: fn("Tickets.update")(function* (ticketID, change) {
      const { customerID } = yield* CurrentRep
      const [ticket] = yield* lockAll(customerID, [ticketID])
      if (ticket === undefined) return
      yield* checkOwnReferences(customerID, newReferences(referencesOf(ticket), referencesOf(change)))
      yield* changes.apply(customerID, [ticket], commandsOf(change))
      const fields = plainChanges(ticket, change)
      if (fields === undefined) return
      yield* repo.update(customerID, ticketID, fields)
      yield* events.record(customerID, [{ kind: "TicketChanged", ticketID }])
    }, inTransaction),

    bulk: fn("Tickets.bulk")(function* ({ action, customerRepID, ticketIDs }) {
      const { customerID } = yield* CurrentRep
      const tickets = yield* lockAll(customerID, [...new Set(ticketIDs)])
      yield* checkOwnReferences(customerID, referencesOf({ customerRepID: customerRepID ?? null }))
      if (action === "delete") return yield* remove(customerID, ticketIDs)
      yield* changes.apply(customerID, tickets, [bulkCommand(action, customerRepID ?? null)])
    }, inTransaction),

    delete: fn("Tickets.delete")(function* (ticketID) {
      const { customerID } = yield* CurrentRep
      yield* lockAll(customerID, [ticketID])
      yield* remove(customerID, [ticketID])
    }, inTransaction)
  })
})
