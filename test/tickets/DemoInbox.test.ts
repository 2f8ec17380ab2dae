import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { channelTypes } from "../../schema/ChannelTypes.ts"
import { clientOf, quietApp, send } from "../support/TestApp.ts"

/** Everything that a newcomer sees of one customer's tickets. */
const inboxOf = (username: string) =>
  Effect.gen(function* () {
    const { channels, endUsers, ticketMessageAttachments, ticketMessages, tickets } = yield* clientOf(username)
    const { items } = yield* tickets.listTickets({ urlParams: { pageSize: 200 } })
    const messages = yield* Effect.forEach(items, ({ ticketID }) =>
      ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID, pageSize: 200 } })
    )
    const said = messages.flatMap((page) => page.items)
    const withFiles = said.filter(({ hasAttachment }) => hasAttachment)
    const files = yield* Effect.forEach(withFiles, ({ messageID }) =>
      ticketMessageAttachments.listAttachments({ path: { id: messageID } })
    )
    return {
      tickets: items,
      conversations: messages.map((page) => page.items),
      files: files.flat(),
      people: (yield* endUsers.listEndUsers({ urlParams: { pageSize: 200 } })).items,
      channelTypes: (yield* channels.listChannels()).map(({ channelType }) => channelType)
    }
  })

layer(quietApp(), { excludeTestServices: true })("The inbox of a newcomer", (it) => {
  it.effect("has people who said something, on channels of every type, for every demo customer", () =>
    Effect.gen(function* () {
      for (const username of ["acme-admin", "globex-admin", "initech-admin"]) {
        const { channelTypes: types, conversations, people, tickets } = yield* inboxOf(username)
        expect([username, types.toSorted()]).toEqual([username, channelTypes.toSorted()])
        expect(tickets.length).toBeGreaterThan(1)
        const known = people.map(({ EndUserID }) => EndUserID)
        for (const { endUserID, lastMessageDate, subject } of tickets) {
          expect(known).toContain(endUserID)
          expect([subject?.length ?? 0, lastMessageDate]).toEqual([
            expect.toSatisfy((length) => length > 5),
            expect.anything()
          ])
        }
        for (const messages of conversations) {
          expect(messages[0]?.senderType).toBe("EndUser")
          for (const { message } of messages) expect((message ?? "").length).toBeGreaterThan(10)
        }
      }
    })
  )

  it.effect("shows every status, spam, topics, answers, languages and a file that opens", () =>
    Effect.gen(function* () {
      const { conversations, files, tickets } = yield* inboxOf("acme-admin")
      expect(new Set(tickets.map(({ status }) => status))).toEqual(new Set(["Open", "Pending", "Escalated", "Closed"]))
      expect(tickets.some(({ isSpam }) => isSpam)).toBe(true)
      expect(tickets.some(({ topics }) => topics.length > 0)).toBe(true)
      expect(tickets.some(({ customerRepID }) => customerRepID !== null)).toBe(true)
      expect(new Set(tickets.map(({ channelType }) => channelType)).size).toBeGreaterThan(2)
      expect(new Set(tickets.map(({ language }) => language)).size).toBeGreaterThan(1)
      expect(conversations.flat().some(({ senderType }) => senderType === "CustomerRep")).toBe(true)
      expect(files.length).toBeGreaterThan(0)
      for (const { accessToken, contentType } of files) {
        const opened = yield* send("GET", `/api/File/${accessToken}`)
        expect([opened.status, opened.headers.get("content-type")]).toEqual([200, expect.stringContaining(contentType)])
      }
    })
  )
})
