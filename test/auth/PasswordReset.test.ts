import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { fieldsOf } from "../support/Fields.ts"
import { askForReset, attemptLogin, freshAddress, resetPassword, statusWith, tokenIn } from "../support/Logins.ts"
import { clientOf, quietApp, sendJson, testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

const nextMail = Effect.flatMap(TestMailer, ({ next }) => next)

/** Asks for a reset and returns the token that was mailed. */
const freshToken = (email: string) =>
  Effect.gen(function* () {
    expect((yield* askForReset(email)).status).toBe(200)
    return yield* Effect.fromNullable(guid.exec((yield* nextMail).text)?.[0])
  })

const jobs = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ kind: string; payload: unknown; status: string }>`
    /* all customers: by hand */ select kind, payload, status from job where kind = 'SendResetMail' order by created_at`
)

layer(testApp(), { excludeTestServices: true })("Password reset", (it) => {
  it.effect("mails a link to the configured address, keeps only a hash, and sets the password once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = tokenIn(yield* attemptLogin({ username: "acme-agent" }))
      const other = tokenIn(yield* attemptLogin({ username: "acme-admin" }))
      const asked = yield* sendJson("POST", "/api/Auth/request-password-reset", {
        body: { email: "AGENT@acme.example", hostname: "acme.example" },
        headers: { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-for": freshAddress() }
      })
      expect(asked).toMatchObject({ status: 200, json: {} })
      expect(asked.text).toBe("{}")
      const mail = yield* nextMail
      expect(mail).toMatchObject({ to: "agent@acme.example" })
      expect(mail.text).toContain("https://casework.example/reset-password?token=")
      expect(mail.text).not.toContain("evil.example")
      const token = yield* Effect.fromNullable(guid.exec(mail.text)?.[0])
      const rows = yield* sql<{ token_hash: string }>`/* all customers: by hand */ select * from password_reset`
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(token)
      const [job] = yield* jobs
      expect(job).toMatchObject({ kind: "SendResetMail", payload: { customerRepID: expect.any(Number) } })
      expect(Object.keys(fieldsOf(job?.payload))).toEqual(["customerRepID"])

      const done = yield* resetPassword(token.toUpperCase(), "Brand-New-1")
      expect([done.status, done.text]).toEqual([204, ""])
      expect(yield* statusWith(before)).toBe(401)
      expect(yield* statusWith(other)).toBe(200)
      expect((yield* attemptLogin({ username: "acme-agent" })).status).toBe(401)
      expect((yield* attemptLogin({ username: "acme-agent", password: "Brand-New-1" })).status).toBe(200)
      const again = yield* resetPassword(token, "Brand-New-2")
      expect(again).toMatchObject({ status: 400, json: { details: [{ path: "token" }] } })
      const events = yield* sql`/* all customers: by hand */ select event from audit_log`
      expect(events).toEqual([{ event: "PasswordReset" }])
    })
  )

  it.effect("gives everyone the same response, and mails nobody who does not match", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const count = (yield* jobs).length
      yield* sql`/* all customers: by hand */
        update customer_rep set deleted_at = now() where username = 'initech-admin'`
      for (const [email, hostname] of [
        ["nobody@acme.example", "localhost"],
        ["admin@acme.example", "globex.example"],
        ["admin@initech.example", "localhost"],
        ["", "localhost"],
        ["%", "localhost"]
      ] as const) {
        const answer = yield* askForReset(email, hostname)
        expect([answer.status, answer.text]).toEqual([200, "{}"])
      }
      expect(yield* jobs).toHaveLength(count)
    })
  )

  it.effect("requires the e-mail address and the token to be text", () =>
    Effect.gen(function* () {
      for (const body of [{}, { email: 5 }, { email: null, hostname: "localhost" }]) {
        const answer = yield* sendJson("POST", "/api/Auth/request-password-reset", { body })
        expect(answer).toMatchObject({ status: 400, json: { details: [{ path: "email" }] } })
      }
      const answer = yield* sendJson("POST", "/api/Auth/reset-password", { body: { token: 1 } })
      expect(answer).toMatchObject({ status: 400, json: { details: [{ path: "token" }, { path: "newPassword" }] } })
    })
  )

  it.effect("invalidates older links with a new one", () =>
    Effect.gen(function* () {
      const older = yield* freshToken("admin@acme.example")
      const newer = yield* freshToken("admin@acme.example")
      expect((yield* resetPassword(older, "Brand-New-1")).status).toBe(400)
      expect((yield* resetPassword(newer, "Demo-Pass-1")).status).toBe(204)
    })
  )

  it.effect("keeps a newer link valid when an older mail was delayed", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const sql = yield* SqlClient.SqlClient
      /** Makes the waiting mails due in so many minutes. */
      const putOff = (minutes: number) => sql`
        update job set due_at = now() + make_interval(mins => ${minutes})
        where customer_id = 1 and kind = 'SendResetMail' and status = 'Queued' and claims > 0 returning job_id`
      yield* mailer.fail(Object.assign(new Error("connect ECONNREFUSED"), { code: "ESOCKET", syscall: "connect" }))
      yield* askForReset("admin@acme.example")
      yield* eventually(putOff(60), ({ length }) => length === 1)
      yield* mailer.fail()
      const newer = yield* freshToken("admin@acme.example")
      const comesLate = Effect.gen(function* () {
        yield* putOff(0)
        yield* eventually(jobs, (all) => all.every(({ status }) => status === "Succeeded"))
        expect(yield* mailer.count).toBe(0)
      })
      yield* comesLate
      expect((yield* resetPassword(newer, "Demo-Pass-1")).status).toBe(204)
      // The delayed mail is not sent after the newer link has been used, either.
      yield* sql`
        update job set status = 'Queued' where customer_id = 1 and kind = 'SendResetMail' and job_id = (
          select job_id from job where customer_id = 1 and kind = 'SendResetMail' order by created_at desc offset 1 limit 1)`
      yield* comesLate
    })
  )

  it.effect("invalidates a link when the address that it went to changes", () =>
    Effect.gen(function* () {
      const { representatives } = yield* clientOf("globex-admin")
      const { items } = yield* representatives.listCustomerReps({ urlParams: {} })
      const {
        customerRepID,
        email: given,
        username
      } = yield* Effect.fromNullable(items.find((rep) => rep.username === "globex-admin"))
      const write = (address: string) =>
        representatives.updateCustomerRep({ path: { id: customerRepID }, payload: { username, email: address } })
      const email = yield* Effect.fromNullable(given)
      const kept = yield* freshToken(email)
      yield* write(email.toUpperCase())
      expect((yield* resetPassword(kept, "short")).text).toContain("newPassword")
      yield* write("elsewhere@globex.example")
      expect((yield* resetPassword(kept, "Brand-New-1")).status).toBe(400)
    })
  )

  it.effect("invalidates a link after four hours", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const letTimePass = (minutes: number) => sql`/* all customers: by hand */
        update password_reset set expires_at = expires_at - make_interval(mins => ${minutes}::int)`
      const token = yield* freshToken("admin@acme.example")
      yield* letTimePass(241)
      expect((yield* resetPassword(token, "Brand-New-1")).status).toBe(400)
      const other = yield* freshToken("admin@acme.example")
      yield* letTimePass(239)
      expect((yield* resetPassword(other, "Demo-Pass-1")).status).toBe(204)
    })
  )

  it.effect("keeps the link valid when the password is too weak", () =>
    Effect.gen(function* () {
      const token = yield* freshToken("admin@acme.example")
      for (const weak of [
        "",
        "short-1",
        "alllowercase",
        "12345678",
        "lower123",
        "x".repeat(2000),
        "Nul-Pass-1\u0000"
      ]) {
        const answer = yield* resetPassword(token, weak)
        expect(answer, weak.slice(0, 20)).toMatchObject({ status: 400, json: { details: [{ path: "newPassword" }] } })
      }
      expect((yield* resetPassword(token, "Demo-Pass-1")).status).toBe(204)
    })
  )

  it.effect("refuses unknown and malformed tokens", () =>
    Effect.gen(function* () {
      for (const token of ["", "garbage", "' or 1=1 --", crypto.randomUUID(), "😀".repeat(500)]) {
        expect((yield* resetPassword(token, "Brand-New-1")).status, token.slice(0, 20)).toBe(400)
      }
    })
  )

  it.effect("accepts a link once, even when it is used many times at once on two nodes", () =>
    Effect.gen(function* () {
      const token = yield* freshToken("admin@acme.example")
      const use = Effect.all(
        Array.makeBy(4, () => resetPassword(token, "Demo-Pass-1")),
        { concurrency: "unbounded" }
      )
      const [here, there] = yield* Effect.all([use, onAnotherNode()(use)], { concurrency: "unbounded" })
      const statuses = [...here, ...there].map(({ status }) => status).sort()
      expect(statuses).toEqual([204, ...Array.replicate(400, 7)])
    })
  )
})

layer(quietApp(), { excludeTestServices: true })("An address of many representatives", (it) => {
  it.effect("does not keep the mail from those who may log in at the hostname", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const add = (username: string, customer: string) => sql`/* all customers: by hand */
        insert into customer_rep (customer_id, username, password_hash, role, email)
        select customer_id, ${username}, '', 'Agent', 'shared@people.example' from customer where name = ${customer}`
      yield* Effect.forEach(Array.range(1, 21), (number) => add(`squatter-${number}`, "Acme Rentals"))
      yield* add("owner", "Globex Support")
      const sent = (hostname: string) =>
        Effect.zipRight(
          askForReset("shared@people.example", hostname),
          sql<{ customer: string; count: number }>`/* all customers: by hand */
            with gone as (delete from job where kind = 'SendResetMail' returning customer_id)
            select name as customer, count(*)::int as count from gone join customer using (customer_id)
            group by name order by name`
        )
      expect(yield* sent("globex.example")).toEqual([{ customer: "Globex Support", count: 1 }])
      expect(yield* sent("localhost")).toEqual([
        { customer: "Acme Rentals", count: 20 },
        { customer: "Globex Support", count: 1 }
      ])
    })
  )
})
