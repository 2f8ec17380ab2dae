import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { admin } from "../admin/RunAdmin.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, settled, subscribedChannel, ticketsArrive, ticketsOf } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"

layer(mailApp(), { excludeTestServices: true })("A set-aside mail", (it) => {
  it.effect("that is discarded while an attempt runs does not come back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { address, channelID, folderID, mailbox } = yield* subscribedChannel
      const { id } = mailbox.add("AAMk-inbox", mail({ subject: "Unwanted" }).fields)
      const [row] = yield* sql<{ number: number }>`
        insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at)
        values (1, ${folderID}, ${id}, 10, 'before', now()) returning failed_mail_id as number`
      const { number } = yield* Effect.fromNullable(row)
      yield* server.set({ latency: 3000 })
      yield* sql`
        insert into job (customer_id, kind, payload)
        values (1, 'ImportMessage', ${JSON.stringify({ folderID, messageID: id })}::jsonb)`
      const running = sql`
        select 1 from job where customer_id = 1 and kind = 'ImportMessage' and status = 'Running'
          and payload ->> 'messageID' = ${id}`
      yield* eventually(running, ({ length }) => length === 1)
      expect((yield* admin("mail", "discard", String(number), "--yes")).succeeded).toBe(true)

      // The attempt is over before a mail that arrives later has come.
      yield* Effect.sleep("6 seconds")
      yield* server.set()
      yield* server.arrive(address, mail({ subject: "Later" }))
      yield* ticketsArrive(channelID, 1)
      yield* settled(channelID)
      expect((yield* ticketsOf(channelID)).map(({ subject }) => subject)).toEqual(["Later"])
      const left = sql`select 1 from failed_mail where customer_id = 1 and channel_folder_id = ${folderID}`
      expect(yield* left).toEqual([])
    })
  )
})
