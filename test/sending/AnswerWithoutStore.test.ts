import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { formWith, upload } from "../files/Uploads.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { hurry } from "../support/HurriedJobs.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { s3Server } from "../support/S3Server.ts"
import { clientOf } from "../support/TestApp.ts"

class Store extends Context.Tag("test/Store")<Store, Effect.Effect.Success<typeof s3Server>>() {}

const app = Layer.unwrapScoped(
  Effect.map(s3Server, (server) =>
    mailApp({ BLOB_STORE: server.blobStore }).pipe(Layer.merge(Layer.succeed(Store, server)))
  )
)

layer(app, { excludeTestServices: true })("An answer with a file, while the store of files is away", (it) => {
  it.effect("waits for the store longer than its attempts would last, and is sent once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const store = yield* Store
      const { address, channelID, mailbox } = yield* subscribedChannel
      yield* server.arrive(address, mail({ subject: "Tap" }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const ticketID = yield* Effect.fromNullable(ticket?.ticketID)
      const [question] = yield* messagesOf(ticketID)
      const id = yield* Effect.fromNullable(question?.messageID)
      expect((yield* upload(id, formWith("price list", "prices.txt", "text/plain"))).status).toBe(200)

      yield* store.turn("Busy")
      const { ticketMessages } = yield* clientOf("acme-agent")
      yield* ticketMessages.sendReply({ path: { id }, payload: { modifiedAnswer: "See the list." } })
      // The last attempt, without waiting for the pauses before it.
      const hurried = sql`
        update job set attempts = 9, due_at = now()
        where customer_id = 1 and kind = 'DeliverMessage' and status = 'Queued' and attempts > 0 returning job_id`
      yield* eventually(hurried, ({ length }) => length === 1)
      const again = sql<{ attempts: number }>`
        select attempts from job where customer_id = 1 and kind = 'DeliverMessage' and status = 'Queued' and due_at > now()`
      expect(yield* eventually(again, ({ length }) => length === 1)).toEqual([{ attempts: 9 }])
      const answer = sql`
        select delivery_error as "deliveryError", is_given_up as "isGivenUp" from ticket_message
        where customer_id = 1 and ticket_id = ${ticketID} and sender_type = 'CustomerRep'`
      expect(yield* answer).toEqual([{ deliveryError: "The file store does not respond", isGivenUp: false }])

      yield* store.turn("Answers")
      yield* eventually(Effect.zipRight(hurry("DeliverMessage"), messagesOf(ticketID)), (messages) =>
        messages.some(({ status }) => status === "Sent")
      )
      const sent = [...mailbox.messages.values()].filter(({ folderID }) => folderID === "AAMk-sent")
      expect(sent.map(({ attachments }) => attachments.map(({ name }) => name))).toEqual([["prices.txt"]])
    })
  )
})
