import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Option, Schema } from "effect"
import { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { Jobs } from "../../src/platform/queue/Jobs.ts"
import { Outbox } from "../../src/platform/systemMail/Outbox.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf } from "../support/TestApp.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"
import { erased, rightsApp, shownTo, workIsDone } from "./RightsTools.ts"

const acme = CustomerID.make(1)

const to = "agent@acme.example"

const write = (fields: Parameters<typeof newMessage>[0]) =>
  Effect.gen(function* () {
    const { tickets } = yield* clientOf("acme-admin")
    const written = yield* newMessage(fields)
    yield* workIsDone
    const { endUserID } = yield* tickets.getTicket({ path: { id: written.ticketID } })
    return { ...written, endUserID: yield* Option.fromNullable(endUserID) }
  })

const isErased = (endUserID: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    eventually(
      sql`select 1 from data_request where customer_id = 1 and about_end_user = ${endUserID} and erased_at is not null`,
      (rows) => rows.length === 1
    )
  )

layer(rightsApp, { excludeTestServices: true })("A mail in the outbox", (it) => {
  it.effect("belongs to the end user it is about or addressed to, not to one whom somebody else names in it", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const person = yield* write({ fromAddress: "marten@people.example", message: "It is cold" })
      const other = yield* write({ fromAddress: "olga@people.example" })
      const about = yield* outbox.keep(acme, { to, subject: "Escalated", text: "It is cold", about: person.messageID })
      const toIt = yield* outbox.keep(acme, { to: "Mia <Marten@people.example>", subject: "Hello", text: "Come in" })
      const naming = {
        to,
        subject: `Ticket ${other.ticketID}`,
        text: `As in ticket ${person.ticketID} of marten@people.example I need help`
      }
      const others = [
        yield* outbox.keep(acme, { ...naming, about: other.messageID }),
        yield* outbox.keep(acme, naming),
        yield* outbox.keep(acme, { ...naming, to: "smarten@people.example" })
      ]
      const shown = yield* (yield* shownTo(person.endUserID))("OutboxMails")
      expect(shown.map(({ outboxMailID, text }) => [outboxMailID, text])).toEqual([
        [about, "It is cold"],
        [toIt, "Come in"]
      ])
      const receipt = yield* erased(person.endUserID)
      expect(receipt.Counts["OutboxMails"]).toBe(2)
      for (const id of [about, toIt]) expect(Option.isNone(yield* outbox.find(id))).toBe(true)
      for (const id of others) expect(Option.isSome(yield* outbox.find(id))).toBe(true)
    })
  )

  it.effect("is deleted with the message that it is about", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const { ticketMessages } = yield* clientOf("acme-admin")
      const { messageID } = yield* write({ fromAddress: "mink@people.example" })
      const id = yield* outbox.keep(acme, { to, subject: "Escalated", text: "I lost my key", about: messageID })
      yield* ticketMessages.deleteTicketMessage({ path: { id: messageID } })
      expect(Option.isNone(yield* outbox.find(id))).toBe(true)
    })
  )

  it.effect(
    "cannot be kept by a job that an erasure has stopped, and is removed by a second look if it comes later",
    () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const jobs = yield* Jobs
        const { dataRights } = yield* clientOf("acme-admin")
        const { endUserID, messageID } = yield* write({ fromAddress: "weasel@people.example" })
        const mail = { to, subject: "Escalated", text: "I lost my key", about: messageID }
        const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const ended = yield* Deferred.make<Exit.Exit<number>>()
        const kind = { kind: "SlowMail", payload: Schema.Struct({ ticketMessageID: TicketMessageID }) }
        yield* jobs.handle(kind, () =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.zipRight(Deferred.await(goOn)),
            Effect.zipRight(Effect.exit(outbox.keep(acme, mail))),
            Effect.flatMap((exit) => Deferred.succeed(ended, exit))
          )
        )
        yield* jobs.enqueue(kind, acme, { ticketMessageID: messageID })
        yield* Deferred.await(begun)
        yield* dataRights.eraseEndUser({ path: { id: endUserID } })
        yield* isErased(endUserID)
        yield* Deferred.succeed(goOn, undefined)
        expect(Exit.isFailure(yield* Deferred.await(ended))).toBe(true)
        const late = yield* outbox.keep(acme, mail)
        expect((yield* erased(endUserID)).Status).toBe("Succeeded")
        expect(Option.isNone(yield* outbox.find(late))).toBe(true)
      })
  )
})
