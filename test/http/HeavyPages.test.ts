import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChannelID } from "../../schema/Ids.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"

const mebibyte = 1024 * 1024

const tooMuch = {
  status: 400,
  details: [{ path: "pageSize", message: expect.stringContaining("64 MiB; ask for fewer") }]
}

layer(quietApp(), { excludeTestServices: true })("A page that is too heavy for a node", (it) => {
  it.effect("of messages is refused before it is built, and a smaller one is not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tickets, ticketMessages, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const { ticketID } = yield* tickets.createTicket({
        payload: { channelID: ChannelID.make(1), subject: "Long letters" }
      })
      const say = (message: string) =>
        ticketMessagesOnPhone.createTicketMessage({ payload: { ticketID, senderType: "EndUser", message } })
      const first = yield* say("One")
      yield* say("Two")
      yield* sql`
        update ticket_message set html_body = repeat('long', ${9 * mebibyte}::int)
        where customer_id = 1 and ticket_id = ${ticketID}`
      const page = (pageSize: number) =>
        ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID, pageSize, sortBy: "messageID" } })
      expect(yield* Effect.flip(page(200))).toMatchObject(tooMuch)
      const { items, totalCount } = yield* page(1)
      expect([items.map(({ messageID }) => messageID), totalCount]).toEqual([[first.messageID], 2])
      // Characters that take six bytes in JSON.
      yield* sql`
        update ticket_message set html_body = repeat(chr(1), ${6 * mebibyte}::int)
        where customer_id = 1 and ticket_id = ${ticketID}`
      expect(yield* Effect.flip(page(2))).toMatchObject(tooMuch)
      expect((yield* page(1)).items).toHaveLength(1)
      // One item alone is to be had, however long it is.
      yield* sql`
        update ticket_message set html_body = repeat('long', ${17 * mebibyte}::int)
        where customer_id = 1 and ticket_message_id = ${first.messageID}`
      expect((yield* page(1)).items).toHaveLength(1)
    })
  )

  it.effect("of tickets or documents is refused, and the longest custom fields are within a page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { documents, tickets } = yield* clientOf("acme-admin")
      const longest = { text: "x".repeat(128 * 1024 - '{"text":""}'.length) }
      const { ticketID } = yield* tickets.createTicket({
        payload: { channelID: ChannelID.make(1), customFieldsData: longest }
      })
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).customFieldsData).toEqual(longest)
      const longer = { text: `${longest.text}x` }
      expect(
        yield* Effect.flip(
          tickets.createTicket({ payload: { channelID: ChannelID.make(1), customFieldsData: longer } })
        )
      ).toMatchObject({ message: expect.stringContaining("131072 characters") })
      yield* sql`
        update ticket set custom_fields = jsonb_build_object('text', repeat('long', ${17 * mebibyte}::int))
        where customer_id = 1 and ticket_id = ${ticketID}`
      expect(yield* Effect.flip(tickets.listTickets({ urlParams: {} }))).toMatchObject(tooMuch)
      // The database would write out 326 characters for this.
      const small = { payload: { channelID: ChannelID.make(1), customFieldsData: { small: [5e-324] } } }
      expect(yield* Effect.flip(tickets.createTicket(small))).toMatchObject({
        message: expect.stringContaining("nearer to 0 than 1e-20")
      })

      const { documentID } = yield* documents.createDocument({
        payload: { name: "Everything", content: "long", isDataRetrievalProcess: false }
      })
      yield* sql`
        update document set content = repeat('long', ${17 * mebibyte}::int)
        where customer_id = 1 and document_id = ${documentID}`
      const newestFirst = { sortBy: "documentID", sortOrder: "desc" } as const
      expect(yield* Effect.flip(documents.listDocuments({ urlParams: newestFirst }))).toMatchObject(tooMuch)
      const { items } = yield* documents.listDocuments({ urlParams: { ...newestFirst, pageNumber: 2, pageSize: 1 } })
      expect(items).toHaveLength(1)
    })
  )
})
