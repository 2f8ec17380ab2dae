import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { mailApp, newMailChannel } from "../support/MailApp.ts"
import { clientOf } from "../support/TestApp.ts"
import type { GoldenMail } from "./golden/Golden.ts"
import { oddities } from "./golden/Oddities.ts"
import { people } from "./golden/People.ts"
import { programs } from "./golden/Programs.ts"

const all: ReadonlyArray<GoldenMail> = [...people, ...programs, ...oddities]

interface Imported {
  readonly ticketID: number
  readonly subject: string | null
  readonly fromAddress: string | null
  readonly fromName: string | null
  readonly text: string | null
  readonly html: string | null
  readonly isAutomatic: boolean
  readonly files: ReadonlyArray<string>
}

const importedAs = (externalID: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<Imported>`
      select m.ticket_id as "ticketID", t.subject, m.from_address as "fromAddress", m.from_name as "fromName",
        m.message as text, m.html_body as html, m.is_automatic as "isAutomatic", array(
          select file_name from ticket_message_attachment a
          where a.customer_id = m.customer_id and a.ticket_message_id = m.ticket_message_id
          order by ticket_message_attachment_id) as files
      from mail_message k
      join ticket_message m on m.customer_id = k.customer_id and m.ticket_message_id = k.ticket_message_id
      join ticket t on t.customer_id = m.customer_id and t.ticket_id = m.ticket_id
      where k.customer_id = 1 and k.external_id = ${externalID}`
    return row
  })

const check = (golden: GoldenMail, found: Imported, tickets: ReadonlyMap<string, number>) => {
  const { fromAddress, fromName, isAutomatic = false, joins, name, subject, text, without } = golden
  expect(found.isAutomatic, name).toBe(isAutomatic)
  if (fromAddress !== undefined) expect(found.fromAddress, name).toBe(fromAddress)
  if (fromName !== undefined) expect(found.fromName, name).toBe(fromName)
  if (subject !== undefined && joins === undefined) expect(found.subject, name).toBe(subject)
  if (text !== undefined) expect((found.text ?? "").startsWith(text), `${name}: ${found.text}`).toBe(true)
  if (without !== undefined) expect(`${found.html} ${found.text}`, name).not.toMatch(without)
  expect(found.files, name).toEqual(golden.files ?? [])
  const others = [...tickets].filter(([, ticketID]) => ticketID === found.ticketID).map(([other]) => other)
  if (joins === undefined) expect(others, `${name} opens a ticket of its own`).toEqual([])
  else expect(others, name).toContain(joins)
}

layer(mailApp(), { excludeTestServices: true })("Golden mails", (it) => {
  it.effect(`become the expected tickets and messages for all ${all.length} kinds`, () =>
    Effect.gen(function* () {
      expect(all.length).toBeGreaterThanOrEqual(40)
      expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
      const { channelID, mailbox } = yield* newMailChannel()
      const { channels, jobs } = yield* clientOf("acme-admin")
      // All are sent at one moment, so that a copy counts as a copy.
      const sentDateTime = "2026-05-04T09:00:00Z"
      const arrived = all.map((one) => ({
        one,
        message: mailbox.add("AAMk-inbox", { ...one.arriving.fields, sentDateTime }, one.arriving.attachments)
      }))
      const started = yield* channels.importEmails({ path: { id: channelID } })
      const path = { id: yield* Effect.fromNullable(started.jobs[0]?.jobID) }
      const job = yield* eventually(jobs.getJob({ path }), ({ status }) => status === "Succeeded")
      const skipped = all.filter((one) => one.skipped === true).length
      expect(job).toMatchObject({ done: all.length, imported: all.length - skipped, skipped, failed: 0, error: null })

      const tickets = new Map<string, number>()
      for (const { message, one } of arrived) {
        const found = yield* importedAs(message.id)
        if (one.skipped === true) expect(found, one.name).toBeUndefined()
        else if (found === undefined) expect.fail(`${one.name} is missing`)
        else {
          check(one, found, tickets)
          tickets.set(one.name, found.ticketID)
        }
      }
    })
  )
})
