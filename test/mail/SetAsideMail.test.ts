import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelFolderID } from "../../schema/Ids.ts"
import { admin } from "../admin/RunAdmin.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import type { SimulatedMailbox } from "../support/GraphServerState.ts"
import { mailApp, settled, subscribedChannel, ticketsArrive, ticketsOf } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"

/** A mail in the inbox of the mailbox that could not be imported an hour ago. */
const setAsideIn = (mailbox: SimulatedMailbox, folderID: ChannelFolderID, subject: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { id } = mailbox.add("AAMk-inbox", mail({ subject }).fields)
    const [row] = yield* sql<{ number: number }>`
      insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at)
      values (1, ${folderID}, ${id}, 10, 'before', now() - interval '1 hour') returning failed_mail_id as number`
    return { id, number: (yield* Effect.fromNullable(row)).number }
  })

layer(mailApp(), { excludeTestServices: true })("A set-aside mail", (it) => {
  it.effect("that is discarded while an attempt runs does not come back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { address, channelID, folderID, mailbox } = yield* subscribedChannel
      const { id, number } = yield* setAsideIn(mailbox, folderID, "Unwanted")
      yield* server.set({ latency: 3000 })
      yield* sql`
        insert into job (customer_id, kind, payload)
        values (1, 'ImportMessage', ${JSON.stringify({ folderID, messageID: id })}::jsonb)`
      const running = sql`
        select 1 from job where customer_id = 1 and kind = 'ImportMessage' and status = 'Running'
          and payload ->> 'messageID' = ${id}`
      yield* eventually(running, ({ length }) => length === 1)
      expect((yield* admin("mail", "discard", String(number), "--yes")).succeeded).toBe(true)

      // The provider has answered the attempt: it could store the mail now.
      yield* eventually(
        Effect.sync(() => server.state.seen.some(({ path }) => path.includes(id))),
        (isAnswered) => isAnswered
      )
      yield* server.set()
      yield* server.arrive(address, mail({ subject: "Later" }))
      yield* ticketsArrive(channelID, 1)
      yield* settled(channelID)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["Later"])
      const left = sql`select 1 from failed_mail where customer_id = 1 and channel_folder_id = ${folderID}`
      expect(yield* left).toEqual([])
    })
  )

  it.effect("stays set aside, for as long as it has been, while it is retried", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, folderID, mailbox } = yield* subscribedChannel
      const { id, number } = yield* setAsideIn(mailbox, folderID, "Wanted")
      mailbox.isAway = true
      expect(yield* admin("mail", "retry")).toMatchObject({ succeeded: true, output: "Retrying 1 mail." })
      const age = sql`
        select set_aside_at < now() - interval '59 minutes' as "isOld" from failed_mail
        where customer_id = 1 and failed_mail_id = ${number}`
      expect(yield* age).toEqual([{ isOld: true }])
      expect((yield* admin("mail", "list")).output).toContain(`\n${number}  customer 1  folder ${folderID}  `)
      const failed = sql`
        select 1 from job where customer_id = 1 and kind = 'ImportMessage' and status = 'Queued' and error is not null
          and payload ->> 'messageID' = ${id}`
      yield* eventually(failed, ({ length }) => length === 1)
      mailbox.isAway = false
      yield* admin("mail", "retry")
      yield* ticketsArrive(channelID, 1)
      yield* eventually(admin("mail", "list"), ({ output }) => output === "No mail is set aside.")
    })
  )

  it.effect("of a deleted channel is not retried, and the operator is told", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      const [kept, deleted] = [yield* subscribedChannel, yield* subscribedChannel]
      yield* setAsideIn(kept.mailbox, kept.folderID, "Wanted")
      const { number } = yield* setAsideIn(deleted.mailbox, deleted.folderID, "Orphan")
      yield* channels.deleteChannel({ path: { id: deleted.channelID } })
      const told = `Not retried, because the channel was deleted: ${number}. To remove such mail, run: mail discard <id>`
      expect((yield* admin("mail", "retry")).output).toBe(`Retrying 1 mail.\n${told}`)
      yield* ticketsArrive(kept.channelID, 1)
      yield* eventually(admin("mail", "retry"), ({ output }) => output === told)
      yield* admin("mail", "discard", String(number), "--yes")
      expect((yield* admin("mail", "retry")).output).toBe("No mail is set aside.")
    })
  )
})
