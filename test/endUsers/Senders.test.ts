import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { DataRequestsRepo } from "../../src/endUsers/DataRequestsRepo.ts"
import { EndUsers } from "../../src/endUsers/EndUsers.ts"
import { EndUsersRepo } from "../../src/endUsers/EndUsersRepo.ts"
import { link, type Uid } from "../../src/endUsers/EndUserUids.ts"
import { identityOf } from "../../src/endUsers/SenderIdentity.ts"
import { SendersRepo } from "../../src/endUsers/SendersRepo.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const Service = EndUsers.layer.pipe(
  Layer.provideMerge(EndUsersRepo.layer),
  Layer.provide([SendersRepo.layer, DataRequestsRepo.layer]),
  Layer.provide(StatementAudit),
  Layer.provideMerge(TestDatabase)
)

const [acme, globex] = [CustomerID.make(1), CustomerID.make(2)]

const nobody = { LastName: "", DisplayName: null, Email: null, Phone: null, CustomerRef: null, Notes: null }

const insert = (FirstName: string, more: { Email?: string; Phone?: string } = {}, ...uids: ReadonlyArray<string>) =>
  Effect.flatMap(EndUsersRepo, (repo) =>
    repo.insert(
      acme,
      { ...nobody, FirstName, ...more },
      uids.map((UID) => ({ UID })).reduce<ReadonlyArray<Uid>>(link, [])
    )
  )

layer(Service, { excludeTestServices: true })("The sender of a message", (it) => {
  it.effect("is found by uid, else by address, else by number, the oldest first", () =>
    Effect.gen(function* () {
      const { forSender } = yield* EndUsers
      const byUid = yield* insert("Uid", {}, "Visitor-1")
      yield* insert("Younger", {}, "visitor-1")
      const byEmail = yield* insert("Email", { Email: "Erik@mail.example" })
      const byPhone = yield* insert("Phone", { Phone: "+1 555 0188" })
      expect(yield* forSender(acme, { uid: "VISITOR-1", fromAddress: "erik@mail.example" })).toBe(byUid)
      expect(yield* forSender(acme, { uid: "unknown", fromAddress: "ERIK@mail.example" })).toBe(byEmail)
      expect(yield* forSender(acme, { phone: "+1 555 0188" })).toBe(byPhone)
      expect(yield* forSender(globex, { uid: "visitor-1" })).not.toBe(byUid)
    })
  )

  it.effect("becomes a new end user with its UIDs when it is unknown", () =>
    Effect.gen(function* () {
      const { forSender } = yield* EndUsers
      const repo = yield* EndUsersRepo
      const id = yield* forSender(acme, {
        uid: "widget-7",
        fromAddress: "Grace.Hopp@mail.example",
        fromName: "Hopp, Grace"
      })
      const [created] = yield* repo.findByUid(acme, "WIDGET-7")
      expect(created).toMatchObject({
        EndUserID: id,
        FirstName: "Grace",
        LastName: "Hopp",
        Email: "Grace.Hopp@mail.example",
        UIDs: [
          { UID: "widget-7", UIDType: "External", IsPrimary: true },
          { UID: "Grace.Hopp@mail.example", UIDType: "Email", IsPrimary: true }
        ]
      })
      expect(yield* forSender(acme, { fromAddress: "grace.hopp@mail.example" })).toBe(id)
    })
  )

  it.effect("is not mistaken for another one whose long address begins the same", () =>
    Effect.gen(function* () {
      const { forSender } = yield* EndUsers
      const repo = yield* EndUsersRepo
      const address = (end: string) => `${"a".repeat(300)}${end}@mail.example`
      const one = yield* forSender(acme, { fromAddress: address("1") })
      const other = yield* forSender(acme, { fromAddress: address("2") })
      expect(other).not.toBe(one)
      expect(yield* forSender(acme, { uid: address("2").toUpperCase() })).toBe(other)
      const [found] = yield* repo.findByUid(acme, address("2"))
      expect(found).toMatchObject({ Email: address("2"), FirstName: "a".repeat(255) })
    })
  )

  it.effect("is the first mailbox of a header, whatever surrounds it", () =>
    Effect.gen(function* () {
      const { forSender } = yield* EndUsers
      const repo = yield* EndUsersRepo
      const id = yield* forSender(acme, { fromAddress: '"Lamarr, Hedy" <Hedy@mail.example>, second@mail.example' })
      const [found] = yield* repo.findByUid(acme, "hedy@mail.example")
      expect(found).toMatchObject({
        EndUserID: id,
        FirstName: "Hedy",
        LastName: "Lamarr",
        Email: "Hedy@mail.example",
        UIDs: [{ UID: "Hedy@mail.example", UIDType: "Email" }]
      })
      expect(yield* forSender(acme, { fromAddress: "Hedy <hedy@mail.example>", fromName: "H." })).toBe(id)
      expect(yield* forSender(acme, { fromAddress: "<hedy@mail.example>" })).toBe(id)
    })
  )

  it.effect("is the same end user on WhatsApp and on the phone, however the number was stored before", () =>
    Effect.gen(function* () {
      const { forSender } = yield* EndUsers
      const id = yield* forSender(acme, { phone: "+15550717" })
      expect(yield* forSender(acme, { uid: "whatsapp:+15550717" })).toBe(id)
      expect(yield* forSender(acme, { uid: "+15550717" })).toBe(id)
      const noted = yield* insert("Ida", {}, "WhatsApp:+15550718")
      expect(yield* forSender(acme, { phone: "+15550718" })).toBe(noted)
    })
  )

  it.effect("is told apart from another one at any length, in whatever characters", () =>
    Effect.gen(function* () {
      const { forSender } = yield* EndUsers
      const long = `a${"\u{1F511}".repeat(318)}`
      const [first, second] = [yield* forSender(acme, { uid: `${long}1` }), yield* forSender(acme, { uid: `${long}2` })]
      expect(second).not.toBe(first)
      expect(yield* forSender(acme, { uid: `${long}1` })).toBe(first)
    })
  )

  it.effect("becomes only one new end user, however many messages come at once", () =>
    Effect.gen(function* () {
      const { forSender } = yield* EndUsers
      const found = yield* Effect.all(
        Array.from({ length: 12 }, (_, index) =>
          forSender(acme, index % 2 === 0 ? { uid: "crowd@mail.example" } : { fromAddress: "CROWD@mail.example" })
        ),
        { concurrency: 12 }
      )
      expect(new Set(found).size).toBe(1)
    })
  )
})

describe("The name of a sender", () => {
  it("comes from what the message says", () => {
    const nameOf = (...[sender]: Parameters<typeof identityOf>) => {
      const { FirstName, LastName } = identityOf(sender).fields
      return [FirstName, LastName]
    }
    expect(nameOf({ fromName: "Maria  de la Cruz" })).toEqual(["Maria", "de la Cruz"])
    expect(nameOf({ fromName: '"Keller, Maria"' })).toEqual(["Maria", "Keller"])
    expect(nameOf({ fromName: " ", fromAddress: "maria@mail.example" })).toEqual(["maria", ""])
    expect(nameOf({ phone: "+15550100" })).toEqual(["+15550100", ""])
    expect(nameOf({ phone: "+49 151 7777777" })).toEqual(["+49 151 7777777", ""])
    expect(nameOf({ fromName: "\u{1F511}".repeat(255) })).toEqual(["\u{1F511}".repeat(255), ""])
    expect(nameOf({})).toEqual(["Unknown", ""])
    expect(identityOf({ uid: "+15550100" }).fields).toMatchObject({ Phone: "+15550100", Email: null })
    expect(identityOf({ uid: "100234" })).toMatchObject({ fields: { Phone: null }, uids: [{ UIDType: "External" }] })
    expect(identityOf({ uid: "whatsapp:+15550100", fromAddress: "whatsapp:+15550100" })).toMatchObject({
      fields: { Phone: "+15550100" },
      uids: [
        { UID: "whatsapp:+15550100", UIDType: "External", IsPrimary: true },
        { UID: "+15550100", UIDType: "Phone", IsPrimary: true }
      ]
    })
  })
})
