import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { Outbox } from "../../src/platform/systemMail/Outbox.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const customerID = CustomerID.make(1)

const mail = { to: "ann@acme.example", subject: "Set a new password", text: "the link with its token" }

const OutboxLive = Outbox.layer.pipe(
  Layer.provide(Secrets.layer),
  Layer.provide(settingsLayer()),
  Layer.provideMerge(TestDatabase)
)

layer(OutboxLive, { excludeTestServices: true })("Outbox", (it) => {
  it.effect("keeps subject and text encrypted and reads them back", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const sql = yield* SqlClient.SqlClient
      const outboxMailID = yield* outbox.keep(customerID, mail)
      const rows = yield* sql`select * from outbox_mail where customer_id = ${customerID}`
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(mail.subject)
      expect(JSON.stringify(rows)).not.toContain(mail.text)
      expect(Option.getOrThrow(yield* outbox.find(outboxMailID))).toMatchObject({ outboxMailID, ...mail })
      expect(Option.isNone(yield* outbox.find(outboxMailID + 1))).toBe(true)
    })
  )

  it.effect("shows the newest first", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      yield* outbox.keep(customerID, { ...mail, subject: "second" })
      yield* outbox.keep(CustomerID.make(2), { ...mail, subject: "third" })
      const newest = yield* outbox.newest(2)
      expect(newest.map(({ subject }) => subject)).toEqual(["third", "second"])
    })
  )

  it.effect("cannot be read under another customer", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const sql = yield* SqlClient.SqlClient
      const outboxMailID = yield* outbox.keep(customerID, mail)
      yield* sql`update outbox_mail set customer_id = 2
        where customer_id = ${customerID} and outbox_mail_id = ${outboxMailID}`
      expect(Exit.isFailure(yield* Effect.exit(outbox.find(outboxMailID)))).toBe(true)
    })
  )

  it.effect("can be listed even if one of its mails cannot be read", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const sql = yield* SqlClient.SqlClient
      const globex = CustomerID.make(2)
      const broken = yield* outbox.keep(globex, mail)
      const whole = yield* outbox.keep(globex, mail)
      yield* sql`update outbox_mail set content = 'other.key.x'
        where customer_id = ${globex} and outbox_mail_id = ${broken}`
      const expected = [
        { outboxMailID: whole, ...mail },
        { outboxMailID: broken, to: mail.to, subject: "(unreadable)", text: "" }
      ]
      expect(yield* outbox.newest(2)).toMatchObject(expected)
      const own = yield* Stream.runCollect(outbox.each(globex, [broken, whole]))
      expect([...own].slice(-2)).toMatchObject(expected.toReversed())
    })
  )
})
