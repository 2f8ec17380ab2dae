import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { fire, freshHook, onHook } from "../automation/AutomationTools.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import { mailApp } from "../support/MailApp.ts"
import { clientOf, sendJson, testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"

/** The error of a refused connection, after which the mail has certainly not left. */
const refusesConnections = Object.assign(new Error("connect ECONNREFUSED"), { code: "ESOCKET", syscall: "connect" })

/** The error of a connection that broke halfway, after which nobody knows whether the mail has left. */
const breaksOff = Object.assign(new Error("Connection closed unexpectedly"), { code: "ECONNECTION" })

const kinds = ["NotifyByMail", "NotifyEscalation", "SendResetMail"] as const

type Kind = (typeof kinds)[number]

const requestReset = sendJson("POST", "/api/Auth/request-password-reset", { body: { email: "agent@acme.example" } })

const notify = Effect.gen(function* () {
  const { messageID } = yield* newMessage({ message: "Zzz", subject: "Odd noise" })
  const hookName = freshHook()
  yield* onHook(hookName, { operation: "NotifyEmail", parameters: { to: "boss@acme.example" } })
  yield* fire(hookName, messageID)
  return messageID
})

const escalate = Effect.flatMap(Effect.all([notify, clientOf("acme-agent")]), ([id, { ticketMessages }]) =>
  ticketMessages.escalateMessage({ path: { id }, payload: { email: "lead@acme.example" } })
)

/** The newest job of its kind, or the one about a message, which may not exist yet. */
const jobOf = (kind: Kind, messageID?: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ status: string; claims: number; seconds: number }>`
      select status, claims, extract(epoch from due_at - now())::float8 as seconds from job
      where customer_id = 1 and kind = ${kind} and payload @> ${JSON.stringify({ ticketMessageID: messageID })}::jsonb
      order by updated_at desc limit 1`
  ).pipe(Effect.map(([job = { status: "None", claims: 0, seconds: 0 }]) => job))

const hurry = (kind: Kind, hours = 0) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update job set due_at = now(), created_at = created_at - make_interval(hours => ${hours})
      where customer_id = 1 and kind = ${kind} and status = 'Queued' returning job_id`
  )

/** Makes a job, and what it has made, so many hours older; waits for a job that is running just now. */
const aged = (kind: Kind, hours: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tokens = sql`
      with earlier as (
        update customer_rep set security_changed_at = security_changed_at - make_interval(hours => ${hours})
        where customer_id = 1)
      update password_reset set asked_at = asked_at - make_interval(hours => ${hours}) where customer_id = 1`
    const all = Effect.tap(hurry(kind, hours), ({ length }) => Effect.when(tokens, () => length > 0))
    yield* eventually(sql.withTransaction(all), ({ length }) => length > 0)
  })

/** Makes the job due again and again until it has been tried so often. */
const tried = (kind: Kind, claims: number, messageID?: TicketMessageID) =>
  eventually(
    Effect.zipLeft(jobOf(kind, messageID), hurry(kind)),
    (job) => job.claims >= claims || job.status === "Failed"
  )

const waits = (kind: Kind) =>
  eventually(jobOf(kind), ({ seconds, status }) => (status === "Queued" && seconds > 1) || status === "Failed")

layer(mailApp({}, testApp), { excludeTestServices: true })("System mail that cannot be delivered", (it) => {
  it.effect("survives hours without a mail server, with growing pauses", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      yield* mailer.fail(refusesConnections)
      yield* requestReset
      yield* escalate
      for (const kind of kinds) {
        yield* waits(kind)
        yield* aged(kind, 3)
        expect((yield* tried(kind, 13)).status).not.toBe("Failed")
        const { seconds, status } = yield* waits(kind)
        expect([status, seconds > 600, seconds <= 900]).toEqual(["Queued", true, true])
      }
      expect(yield* mailer.count).toBe(0)
      yield* mailer.fail()
      for (const kind of kinds) yield* hurry(kind)
      const sent = yield* Effect.all(kinds.map(() => mailer.next))
      expect(sent.map(({ to }) => to).sort()).toEqual(["agent@acme.example", "boss@acme.example", "lead@acme.example"])
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("is given up after a day, or after ten attempts when it may have left", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      yield* mailer.fail(refusesConnections)
      yield* notify
      yield* waits("NotifyByMail")
      yield* aged("NotifyByMail", 25)
      expect(yield* tried("NotifyByMail", 30)).toMatchObject({ status: "Failed" })
      yield* mailer.fail(breaksOff)
      const { claims, status } = yield* tried("NotifyByMail", 30, yield* notify)
      expect([status, claims]).toEqual(["Failed", 10])
      yield* mailer.fail()
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("is not sent when its password link would have expired", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      yield* mailer.fail(refusesConnections)
      yield* requestReset
      yield* waits("SendResetMail")
      // Aged before anything can be sent, because it may come due again at any moment.
      yield* aged("SendResetMail", 5)
      yield* mailer.fail()
      yield* eventually(jobOf("SendResetMail"), ({ status }) => status === "Succeeded")
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("also waits for a mail provider that is unavailable", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { customers } = yield* clientOf("acme-admin")
      yield* customers.updateCustomer({
        payload: {
          mailProviderTenantID: simulatedCredentials.tenantID,
          mailProviderClientID: simulatedCredentials.clientID,
          mailProviderClientSecret: simulatedCredentials.clientSecret,
          mailProviderAuthorityURL: server.authorityUrl
        }
      })
      yield* server.set({ fail: { requests: 1000, status: 503 } })
      const messageID = yield* notify
      expect((yield* tried("NotifyByMail", 12, messageID)).status).not.toBe("Failed")
      // Nobody knows whether the provider sent it before failing, even when it says when to come back.
      yield* server.set({ failPath: "/sendMail", failPathRetryAfter: "0" })
      expect((yield* tried("NotifyByMail", 50, messageID)).status).toBe("Failed")
      yield* server.set()
    })
  )
})
