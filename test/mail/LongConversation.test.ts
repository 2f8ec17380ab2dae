import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, settled, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"

layer(mailApp(), { excludeTestServices: true })("A conversation of many mails", (it) => {
  it.effect("does not keep a reply from finding the mail that it names", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const conversationId = "AAQk-long"
      const messageId = "<first@home.example>"
      const from = "maria@home.example"
      yield* server.arrive(address, mail({ from, conversationId, messageId, subject: "Leak" }))
      yield* ticketsArrive(channelID, 1)
      yield* server.arrive(address, mail({ from: "tom@home.example", conversationId, subject: "Leak, too" }))
      const [first] = yield* ticketsArrive(channelID, 2)
      const ticketID = yield* Effect.fromNullable(first?.ticketID)
      // Adds 500 more mails from Tom.
      yield* sql`
        insert into mail_message (customer_id, channel_id, external_id, internet_message_id, content_hash,
          conversation_id, participants, ticket_message_id)
        select customer_id, channel_id, external_id || n, '<' || n || '@home.example>', content_hash, conversation_id,
          participants, ticket_message_id
        from mail_message, generate_series(1, 500) n
        where customer_id = 1 and channel_id = ${channelID} and participants @> array['tom@home.example']`
      yield* server.arrive(address, mail({ from, conversationId, headers: { "In-Reply-To": messageId } }))
      yield* server.arrive(address, mail({ from, conversationId, headers: { References: `<x@y> ${messageId}` } }))
      yield* server.arrive(address, mail({ subject: "Last" }))
      expect((yield* ticketsArrive(channelID, 3)).map(({ subject }) => subject)).toEqual(["Leak", "Leak, too", "Last"])
      yield* settled(channelID)
      expect(yield* messagesOf(ticketID)).toHaveLength(3)
    })
  )

  it.effect("is found by its first mail, however many others a reply names", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { address, channelID } = yield* subscribedChannel
      const first = "<first@thread.example>"
      yield* server.arrive(address, mail({ messageId: first, subject: "Leak" }))
      const [{ ticketID } = { ticketID: null }] = yield* ticketsArrive(channelID, 1)
      const others = Array.from({ length: 3_000 }, (_, number) => `<${number}@thread.example>`)
      const References = [first, ...others, ...others].join(" ")
      yield* server.arrive(address, mail({ headers: { References, "In-Reply-To": "<lost@thread.example>" } }))
      yield* settled(channelID)
      expect(yield* messagesOf(yield* Effect.fromNullable(ticketID))).toHaveLength(2)
    })
  )
})
