import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, LogLevel, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { StoreAway } from "../../src/platform/BlobTrouble.ts"
import { Mailer, MailerLive } from "../../src/platform/systemMail/Mailer.ts"
import { eventually } from "../support/Eventually.ts"
import { smtpServer } from "../support/SmtpServer.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const customerID = CustomerID.make(1)

const mail = { to: "Ann <ann@acme.example>", subject: "Grüße\r\nBcc: evil@evil.example", text: "Hello Änn,\n.\nbye\n" }

const withSettings = (overrides: Readonly<Record<string, string>>) =>
  Effect.provide(
    Layer.merge(MailerLive.pipe(Layer.provide(settingsLayer(overrides))), Logger.minimumLogLevel(LogLevel.None))
  )

layer(TestDatabase, { excludeTestServices: true })("Mailer", (it) => {
  it.scoped("delivers over SMTP when SMTP_URL is set", () =>
    Effect.gen(function* () {
      const smtp = yield* smtpServer
      const sql = yield* SqlClient.SqlClient
      yield* Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* mailer.send(customerID, mail)
        const received = yield* smtp.next
        expect(received.from).toContain("<service@casework.example>")
        expect(received.to).toContain("<ann@acme.example>")
        const [headers = "", ...body] = received.data.split("\n\n")
        expect(headers).toMatch(/^From: Casework <service@casework\.example>$/m)
        expect(headers).not.toMatch(/^(?:Bcc|Auto-Submitted|X-Auto-Response-Suppress):/m)
        const text = body
          .join("\n\n")
          .replace(/=\n/g, "")
          .replace(/((?:=[0-9A-F]{2})+)/g, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"))
        expect(text.trim()).toBe("Hello Änn,\n.\nbye")
        yield* mailer.send(customerID, { ...mail, isAutomatic: true, replyTo: "support@acme.example" })
        const { data } = yield* smtp.next
        expect(data).toMatch(/^Auto-Submitted: auto-generated\nX-Auto-Response-Suppress: OOF, AutoReply$/m)
        expect(data).toMatch(/^Reply-To: support@acme\.example$/m)
      }).pipe(withSettings({ SMTP_URL: smtp.url, MAIL_FROM: "Casework <service@casework.example>" }))
      expect(yield* sql`/* all customers: by hand */ select * from outbox_mail`).toEqual([])
    })
  )

  it.scoped("fails in plain words when the mail server refuses or is unreachable, and works again later", () =>
    Effect.gen(function* () {
      const smtp = yield* smtpServer
      yield* Effect.gen(function* () {
        const mailer = yield* Mailer
        yield* smtp.refuse(true)
        const refused = yield* Effect.flip(mailer.send(customerID, mail))
        expect(refused).toMatchObject({ _tag: "MailNotSent", message: expect.stringContaining("try again later") })
        expect(refused.isRefused).toBe(false)
        yield* smtp.refuse(false)
        const unknown = yield* Effect.flip(mailer.send(customerID, { ...mail, to: "nobody@acme.example" }))
        expect([unknown.isRefused, unknown.message]).toEqual([true, expect.stringContaining("no such mailbox")])
        const relayed = yield* Effect.flip(mailer.send(customerID, { ...mail, to: "relay@acme.example" }))
        expect([relayed.isRefused, relayed.message]).toEqual([false, expect.stringContaining("no relaying")])
        const spam = yield* Effect.flip(mailer.send(customerID, { ...mail, subject: "spam" }))
        expect([spam.isRefused, spam.message]).toEqual([false, expect.stringContaining("may not send")])
        const broken = yield* Effect.flip(mailer.send(customerID, { ...mail, subject: "broken" }))
        expect([broken.isRefused, broken.message]).toEqual([true, expect.stringContaining("not a message")])
        yield* mailer.send(customerID, mail)
        expect(yield* smtp.count).toBe(1)
        expect([refused, spam].map(({ hasStayed }) => hasStayed)).toEqual([true, true])
        const some = yield* Effect.flip(
          mailer.send(customerID, { ...mail, to: "ann@acme.example, nobody@acme.example" })
        )
        expect([some.hasLeft, some.message]).toEqual([true, expect.stringMatching(/not to nobody@.*no such mailbox/)])
        expect([refused.hasLeft, unknown.hasLeft, yield* smtp.count]).toEqual([false, false, 2])
        const cut = yield* Effect.flip(mailer.send(customerID, { ...mail, subject: "cut" }))
        expect([cut.isRefused, cut.hasStayed, yield* smtp.count]).toEqual([false, false, 3])
      }).pipe(withSettings({ SMTP_URL: smtp.url }))
      const forged = yield* Effect.flatMap(Mailer, (mailer) => Effect.flip(mailer.send(customerID, mail))).pipe(
        withSettings({ SMTP_URL: smtp.url, MAIL_FROM: "forged@acme.example" })
      )
      expect([forged.isRefused, forged.message]).toEqual([false, expect.stringContaining("not your address")])
      const unreachable = yield* Effect.flatMap(Mailer, (mailer) => Effect.flip(mailer.send(customerID, mail))).pipe(
        withSettings({ SMTP_URL: "smtp://user:hidden-password@127.0.0.1:1" })
      )
      expect(unreachable.message).toContain("ECONNREFUSED")
      expect([unreachable.isRefused, unreachable.hasStayed]).toEqual([false, true])
      expect(String(unreachable)).not.toContain("hidden-password")
    })
  )

  it.scoped("does not send a mail whose file breaks off, and knows that it has not left", () =>
    Effect.gen(function* () {
      const smtp = yield* smtpServer
      const bytes = Stream.concat(
        Stream.make(Buffer.alloc(200_000)),
        Stream.die(new StoreAway({ message: "The store did not answer" }))
      )
      yield* Effect.gen(function* () {
        const mailer = yield* Mailer
        const files = [{ fileName: "a.bin", contentType: "application/octet-stream", bytes }]
        const broken = yield* Effect.flip(mailer.send(customerID, { ...mail, files }))
        expect([broken.hasStayed, broken.hasLeft, broken.isRefused]).toEqual([true, false, false])
        yield* mailer.send(customerID, mail)
        expect(yield* smtp.count).toBe(1)
      }).pipe(withSettings({ SMTP_URL: smtp.url }))
    })
  )

  it.scoped("does not send a mail that its sender has given up before its turn came", () =>
    Effect.gen(function* () {
      const smtp = yield* smtpServer
      yield* Effect.gen(function* () {
        const mailer = yield* Mailer
        const slow = Array.from({ length: 7 }, () => mailer.send(customerID, { ...mail, subject: "slow" }))
        const sending = yield* Effect.forEach(slow, Effect.fork)
        yield* eventually(smtp.count, (count) => count === 5)
        // This does not wait for the server either.
        yield* Fiber.interruptAll(sending)
        const next = yield* Effect.fork(mailer.send(customerID, mail))
        yield* smtp.respond
        yield* Fiber.join(next)
        expect(yield* smtp.count).toBe(6)
      }).pipe(withSettings({ SMTP_URL: smtp.url }))
    })
  )

  it.effect("keeps mail in the outbox without SMTP_URL", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.flatMap(Mailer, (mailer) => mailer.send(customerID, mail)).pipe(withSettings({}))
      const rows = yield* sql<{ recipient: string }>`
        select recipient from outbox_mail where customer_id = ${customerID}`
      expect(rows).toEqual([{ recipient: mail.to }])
    })
  )
})
