import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { ChannelFolderID } from "../../schema/Ids.ts"
import { JobID } from "../../schema/Jobs.ts"
import { Blobs } from "../../src/files/Blobs.ts"
import { FailedMailsRepo } from "../../src/mail/FailedMailsRepo.ts"
import { MailFoldersRepo } from "../../src/mail/MailFoldersRepo.ts"
import { admin, adminWith } from "../admin/RunAdmin.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import { hurry } from "../support/HurriedJobs.ts"
import { mailApp, newMailChannel, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"
import { onPostgres, waitingForMe } from "../support/TestDatabase.ts"

const Made = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ jobID: JobID })))

/** A job that has used up all its attempts without coming to an end. */
const worn = (kind: string, payload: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`
      insert into job (customer_id, kind, payload, attempts)
      values (1, ${kind}, ${JSON.stringify(payload)}::jsonb, 10) returning job_id::text as "jobID"`
    const [{ jobID }] = yield* Made(rows)
    const { jobs } = yield* clientOf("acme-admin")
    return yield* eventually(jobs.getJob({ path: { id: jobID } }), ({ status }) => status === "Failed")
  })

const folderOf = (folderID: ChannelFolderID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ channelFolders }) =>
    channelFolders.getChannelFolder({ path: { id: folderID } })
  )

layer(mailApp(), { excludeTestServices: true })("Mail work that is given up", (it) => {
  it.effect("is reported on the folder, and the next catch-up repairs it", () =>
    Effect.gen(function* () {
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      mailbox.add("AAMk-inbox", mail({ subject: "Unseen" }).fields)
      const job = yield* worn("ImportFolder", { folderID })
      expect(job.error).toContain("10 attempts did not come to an end")
      expect((yield* folderOf(folderID)).lastError).toMatch(/^Given up: .*10 attempts/)
      const { channels } = yield* clientOf("acme-admin")
      yield* channels.importEmails({ path: { id: channelID } })
      yield* ticketsArrive(channelID, 1)
      yield* eventually(folderOf(folderID), ({ lastError }) => lastError === null)
    })
  )

  it.effect("is explained on the folder at each attempt, even when credentials are missing", () =>
    Effect.gen(function* () {
      const { channelID, mailbox } = yield* newMailChannel()
      mailbox.add("AAMk-inbox", mail({ subject: "Behind a locked door" }).fields)
      const { channelFolders, channels } = yield* clientOf("acme-admin")
      const path = { id: channelID }
      const { folderID } = yield* channelFolders.createChannelFolder({
        payload: { channelID, name: "Inbox", type: "Inbox" }
      })
      yield* channels.updateChannel({ path, payload: { overrideMailProviderClientSecret: "wrong" } })
      yield* channels.importEmails({ path })
      const sql = yield* SqlClient.SqlClient
      // The attempts follow each other without pauses, and none of them is the last.
      const again = sql`
        update job set due_at = now(), attempts = 1
        where customer_id = 1 and kind = 'ImportFolder' and status = 'Queued'`
      const folder = Effect.zipRight(again, folderOf(folderID))
      yield* eventually(folder, ({ lastError }) => lastError?.includes("AADSTS7000215") === true)
      yield* channels.updateChannel({ path, payload: { overrideMailProviderTenantID: null } })
      yield* eventually(folder, ({ lastError }) => lastError?.includes("set mailProviderTenantID") === true)
      const { clientSecret: overrideMailProviderClientSecret, tenantID: overrideMailProviderTenantID } =
        simulatedCredentials
      yield* channels.updateChannel({
        path,
        payload: { overrideMailProviderClientSecret, overrideMailProviderTenantID }
      })
      yield* eventually(folder, ({ lastError }) => lastError === null)
      yield* ticketsArrive(channelID, 1)
    })
  )

  it.effect("leaves announced mails to the next catch-up", () =>
    Effect.gen(function* () {
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      const { id } = mailbox.add("AAMk-inbox", mail({ subject: "Told about" }).fields)
      yield* worn("ImportMessages", { folderID, messageIDs: [id] })
      const [ticket] = yield* ticketsArrive(channelID, 1)
      expect(ticket?.subject).toBe("Told about")
      yield* eventually(folderOf(folderID), ({ lastError }) => lastError === null)
    })
  )

  it.effect("sets a single mail aside with its source, and forgets it once it has come another way", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      const { id } = mailbox.add("AAMk-inbox", mail({ subject: "Stubborn" }).fields)
      yield* sql`
        insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error)
        values (1, ${folderID}, ${id}, 10, 'before')`
      yield* worn("ImportMessage", { folderID, messageID: id })
      const kept = yield* sql`
        select set_aside_at is not null as "isAside", blob_id is not null as "hasSource", error from failed_mail
        where customer_id = 1 and channel_folder_id = ${folderID}`
      expect(kept).toEqual([
        { isAside: true, hasSource: true, error: expect.stringContaining("10 attempts did not come to an end") }
      ])
      expect((yield* folderOf(folderID)).failedMessages).toBe(1)
      const { channels } = yield* clientOf("acme-admin")
      yield* channels.importEmails({ path: { id: channelID } })
      yield* ticketsArrive(channelID, 1)
      yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 0)
    })
  )

  it.effect("keeps a mail that was set aside and then deleted from the mailbox, and stops retrying it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      const stubborn = mailbox.add("AAMk-inbox", mail({ subject: "The last of it" }).fields)
      yield* worn("ImportMessage", { folderID, messageID: stubborn.id })
      mailbox.messages.delete(stubborn.id)
      const comeRound = sql`
        update failed_mail set set_aside_at = now() - interval '31 minutes'
        where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* comeRound
      yield* sql`update periodic_work set next_at = now() where name = 'Set-aside mail'`
      const tried = yield* eventually(folderOf(folderID), ({ lastError }) => !lastError?.includes("10 attempts"))
      expect(tried).toMatchObject({ lastError: expect.stringContaining("no longer in the mailbox"), failedMessages: 1 })
      const kept = yield* sql`
        select set_aside_at is not null as "isAside", blob_id is not null as "hasSource" from failed_mail
        where customer_id = 1 and channel_folder_id = ${folderID}`
      expect(kept).toEqual([{ isAside: true, hasSource: true }])
      yield* comeRound
      const again = yield* Effect.flatMap(FailedMailsRepo, ({ dueAgain }) => dueAgain)
      expect(again.filter((one) => one.folderID === folderID)).toEqual([])

      mailbox.messages.set(stubborn.id, stubborn)
      expect((yield* admin("mail", "retry")).output).toBe("Retrying 1 mail.")
      expect((yield* ticketsArrive(channelID, 1))[0]?.subject).toBe("The last of it")
      yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 0)
    })
  )

  // The embedded database has one connection.
  if (onPostgres) {
    it.effect("a mail that has left the mailbox does not meet an erasure the other way round", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const server = yield* GraphServer
        const { folderID, mailbox } = yield* subscribedChannel
        const gone = mailbox.add("AAMk-inbox", mail({ subject: "Gone" }).fields)
        yield* worn("ImportMessage", { folderID, messageID: gone.id })
        mailbox.messages.delete(gone.id)
        yield* server.set({ latency: 1500 })
        yield* admin("mail", "retry")
        const running = sql`
        select 1 from job where customer_id = 1 and status = 'Running' and kind = 'ImportMessage'
          and payload ->> 'messageID' = ${gone.id}`
        yield* eventually(running, ({ length }) => length === 1)
        // In the order in which an erasure takes them.
        const erasing = Effect.gen(function* () {
          yield* sql`
          select 1 from job where customer_id = 1 and kind = 'ImportMessage' and payload ->> 'messageID' = ${gone.id}
          for update`
          yield* eventually(waitingForMe, (waiting) => waiting > 0)
          return yield* sql`
          delete from failed_mail where customer_id = 1 and failed_mail_id in (
            select failed_mail_id from failed_mail
            where customer_id = 1 and channel_folder_id = ${folderID} for update nowait)
          returning 1`
        })
        expect(yield* erasing.pipe(sql.withTransaction)).toHaveLength(1)
        yield* server.set()
      })
    )
  }

  it.effect("a mail that is set aside and has left the mailbox can be read and got rid of", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { folderID, mailbox } = yield* subscribedChannel
      const subject = "The \u001B[31mlast of it"
      const gone = mailbox.add("AAMk-inbox", mail({ subject }).fields)
      yield* worn("ImportMessage", { folderID, messageID: gone.id })
      mailbox.messages.delete(gone.id)
      yield* admin("mail", "retry")
      yield* eventually(folderOf(folderID), ({ lastError }) => lastError?.includes("no longer in the mailbox") === true)
      const { output } = yield* admin("mail", "list")
      const [, id = ""] = new RegExp(`^(\\d+)  customer 1  folder ${folderID}  ${gone.id}  `, "m").exec(output) ?? []
      const [kept] = yield* sql<{ source: string }>`
        select blob_id::text as source from failed_mail where customer_id = 1 and failed_mail_id = ${id}::int`
      const shown = yield* admin("mail", "show", id)
      expect(shown.output).toMatch(/^Subject: The \[31mlast of it\n\n\{.*\}$/)
      // What comes round for it goes with it, also after an attempt that failed and lost its key.
      const payload = JSON.stringify({ folderID, messageID: gone.id })
      yield* sql`
        insert into job (customer_id, kind, key, payload, attempts, due_at)
        values (1, 'ImportMessage', ${`${folderID} ${gone.id}`}, ${payload}::jsonb, 0, now() + interval '1 hour'),
          (1, 'ImportMessage', null, ${payload}::jsonb, 1, now() + interval '1 hour')`
      const left = sql`
        select 1 from job where customer_id = 1 and kind = 'ImportMessage' and payload ->> 'messageID' = ${gone.id}
          and status = 'Queued'`
      const discarded = yield* admin("mail", "discard", id, "--yes")
      expect(discarded).toMatchObject({
        succeeded: true,
        output: expect.stringMatching(`^Discarded: ${id}  .*${gone.id}`)
      })
      expect(yield* left).toEqual([])
      expect(yield* folderOf(folderID)).toMatchObject({ failedMessages: 0, lastError: null })
      for (const command of ["show", "discard"]) {
        const refused = yield* admin("mail", command, id)
        expect(refused).toMatchObject({
          succeeded: false,
          errors: [`No mail ${id} is set aside. To list them, run: mail list`]
        })
      }
      yield* sql`update blob set created_at = now() - interval '2 hours' where customer_id = 1`
      yield* Effect.flatMap(Blobs, ({ sweep }) => sweep)
      const { source } = yield* Effect.fromNullable(kept)
      expect(yield* sql`select 1 from blob where customer_id = 1 and blob_id = ${source}::uuid`).toEqual([])
    })
  )

  it.effect("a mail that was set aside without its source says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { folderID } = yield* subscribedChannel
      const [row] = yield* sql<{ id: number }>`
        insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at)
        values (1, ${folderID}, 'bare', 10, 'before', now()) returning failed_mail_id as id`
      const refused = yield* admin("mail", "show", String(row?.id))
      expect(refused).toMatchObject({ succeeded: false, errors: [expect.stringMatching(/could not be stored/)] })
      const kept = yield* adminWith({ typed: "n" }, "mail", "discard", String(row?.id))
      expect(kept).toMatchObject({ succeeded: false, errors: ["Nothing was changed."] })
      expect((yield* adminWith({ typed: "y" }, "mail", "discard", String(row?.id))).succeeded).toBe(true)
      expect((yield* folderOf(folderID)).failedMessages).toBe(0)
    })
  )

  it.effect("mails that are set aside wait for a mailbox that is away, with their source or without", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      const [kept, bare] = ["Kept", "Bare"].map((subject) => mailbox.add("AAMk-inbox", mail({ subject }).fields).id)
      yield* worn("ImportMessage", { folderID, messageID: kept })
      yield* sql`
        insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at)
        values (1, ${folderID}, ${bare}, 10, 'before', now())`
      mailbox.isAway = true
      yield* sql`
        update failed_mail set set_aside_at = now() - interval '31 minutes'
        where customer_id = 1 and channel_folder_id = ${folderID}`
      yield* sql`update periodic_work set next_at = now() where name = 'Set-aside mail'`
      const tried = sql`
        select status, error from job where customer_id = 1 and kind = 'ImportMessage' and status <> 'Running'
          and attempts between 1 and 9 and payload ->> 'folderID' = ${String(folderID)}`
      const failure = {
        status: "Queued",
        error: expect.stringMatching(/mailbox itself was not found.*ErrorInvalidUser/)
      }
      expect(yield* eventually(tried, ({ length }) => length === 2)).toEqual([failure, failure])
      const left = sql`
        select external_id as id, blob_id is not null as "hasSource" from failed_mail
        where customer_id = 1 and channel_folder_id = ${folderID} and set_aside_at is not null order by attempts`
      expect(yield* left).toEqual([
        { id: kept, hasSource: true },
        { id: bare, hasSource: false }
      ])

      mailbox.isAway = false
      yield* hurry("ImportMessage")
      const arrived = yield* ticketsArrive(channelID, 2)
      expect(arrived.map(({ subject }) => subject).toSorted()).toEqual(["Bare", "Kept"])
      yield* eventually(folderOf(folderID), ({ failedMessages }) => failedMessages === 0)
    })
  )

  it.effect("does not move a folder that is to be read from scratch to where an older reading got", () =>
    Effect.gen(function* () {
      const repo = yield* MailFoldersRepo
      const { address: mailbox, customerID, folderID } = yield* subscribedChannel
      const [from, to] = ["https://graph.example/1", "https://graph.example/2"]
      const step = { from, to, since: null, isLast: false, mailbox }
      yield* repo.save(customerID, folderID, { deltaLink: step.from, deltaSince: null })
      expect(yield* repo.moveOn(customerID, folderID, step)).toBe(true)
      yield* repo.save(customerID, folderID, { deltaLink: null })
      expect(yield* repo.moveOn(customerID, folderID, { ...step, from: step.to })).toBe(false)
      expect(yield* repo.moveOn(customerID, folderID, { ...step, from: null, since: new Date() })).toBe(false)
      expect(yield* repo.moveOn(customerID, folderID, { ...step, from: null, mailbox: `old-${mailbox}` })).toBe(false)
      // The same mailbox, as for a request that only writes its address in another way.
      const written = mailbox.toUpperCase()
      expect(yield* repo.moveOn(customerID, folderID, { ...step, from: null, mailbox: written })).toBe(true)
    })
  )
})
