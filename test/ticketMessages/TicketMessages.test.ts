import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TicketID, TicketMessageID, TopicID } from "../../schema/Ids.ts"
import { TicketMessage, TicketMessagePage } from "../../schema/TicketMessages.ts"
import { expectError } from "../http/ErrorBody.ts"
import { field } from "../support/Fields.ts"
import { clientOf, quietApp, sendJson, tokenOf } from "../support/TestApp.ts"
import { channelOf, eventsOf, newTicket } from "../tickets/TicketTools.ts"
import { newChannel, newTopic, phoneToken, refusedPaths } from "../topics/Mappings.ts"
import { messageEvents, messagesOf, newMessage, readMessage } from "./MessageTools.ts"

const decodePage = Schema.decodeUnknown(TicketMessagePage)

const create = (body: unknown, token: string) => sendJson("POST", "/ticketMessages/create-new", { token, body })

const countOf = (table: "ticket" | "ticket_message" | "end_user") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ count: number }>`select count(*)::int as count from ${sql(table)} where customer_id = 1`
  ).pipe(Effect.flatMap(([row]) => Effect.fromNullable(row?.count)))

const counts = Effect.all([countOf("ticket"), countOf("ticket_message"), countOf("end_user")])

/** The representatives of a customer, the Admin first. */
const repsOf = (customerID: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ id: number }>`
      select customer_rep_id as id from customer_rep where customer_id = ${customerID} order by role, customer_rep_id`
    return rows.map(({ id }) => id)
  })

layer(quietApp(), { excludeTestServices: true })("Messages", (it) => {
  it.effect("create a ticket, and return the whole message", () =>
    Effect.gen(function* () {
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const channelID = yield* channelOf()
      const { json, status } = yield* create(
        {
          CHANNELID: channelID,
          htmlBody: '<p onclick="x()">Dear team,</p><p>the <b>boiler</b> hums<script>x()</script></p>',
          fromAddress: "New.Person@mail.example",
          fromName: "Person, New",
          toAddress: "support@acme.example",
          messageDate: "2026-01-02T03:04:05+01:00",
          pageURL: "https://acme.example/help",
          customFieldsData: { order: 7 },
          unknown: "ignored"
        },
        token
      )
      expect(status).toBe(200)
      const message = yield* Schema.decodeUnknown(TicketMessage)(json)
      expect(json).toMatchObject({
        channelID,
        senderType: "EndUser",
        status: "Received",
        message: "Dear team,\nthe boiler hums",
        preview: "Dear team, the boiler hums",
        htmlBody: "<p>Dear team,</p><p>the <b>boiler</b> hums</p>",
        textBody: null,
        subject: null,
        messageDate: "2026-01-02T02:04:05.000Z",
        customerRepID: null,
        customerRepName: null,
        isOpened: false,
        isEscalated: false,
        hasAttachment: false,
        aI_FeedbackComment: null,
        aiReply: null,
        topics: [],
        actions: [],
        customFieldsData: { order: 7 }
      })
      const ticket = yield* tickets.getTicket({ path: { id: message.ticketID } })
      expect(ticket).toMatchObject({ status: "Open", subject: "Dear team, the boiler hums", channelID })
      expect([ticket.lastMessageDate, ticket.lastSenderType]).toEqual([message.dateCreated, "EndUser"])
      const [person] = yield* endUsers.findEndUsersByUid({ urlParams: { uid: "new.person@mail.example" } })
      expect(person).toMatchObject({ EndUserID: ticket.endUserID, FirstName: "New", LastName: "Person" })
      expect(yield* eventsOf(ticket.ticketID)).toEqual(["TicketCreated", "MessageReceived"])
      expect(yield* readMessage(message.messageID)).toEqual(message)
    })
  )

  it.effect("find their end user by uid, or else by address, or else create one", () =>
    Effect.gen(function* () {
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const known = yield* endUsers.createEndUser({
        payload: { FirstName: "K", LastName: "K", Email: "known@mail.example", UIDs: [{ UID: "Known-1" }] }
      })
      const endUserOf = (fields: Parameters<typeof newMessage>[0]) =>
        newMessage(fields).pipe(
          Effect.flatMap(({ ticketID }) => tickets.getTicket({ path: { id: ticketID } })),
          Effect.map(({ endUserID }) => endUserID)
        )
      expect(yield* endUserOf({ uid: "KNOWN-1", fromAddress: "other@mail.example" })).toBe(known.EndUserID)
      expect(yield* endUserOf({ uid: "unknown", fromAddress: "Known@mail.example" })).toBe(known.EndUserID)
      const fresh = yield* endUserOf({ uid: "somebody-new", fromAddress: "somebody@mail.example" })
      expect(fresh).not.toBe(known.EndUserID)
      expect(yield* endUserOf({ fromAddress: "SOMEBODY@mail.example" })).toBe(fresh)
      const nameless = yield* newTicket({ subject: "Whose?" })
      yield* newMessage({ ticketID: nameless.ticketID, uid: "known-1" })
      expect((yield* tickets.getTicket({ path: { id: nameless.ticketID } })).endUserID).toBe(known.EndUserID)
      yield* newMessage({ ticketID: nameless.ticketID, uid: "somebody-new" })
      expect((yield* tickets.getTicket({ path: { id: nameless.ticketID } })).endUserID).toBe(known.EndUserID)
      const crowd = yield* Effect.forEach(
        Array.from({ length: 8 }),
        () => endUserOf({ fromAddress: "crowd@mail.example" }),
        { concurrency: 8 }
      )
      expect(new Set(crowd).size).toBe(1)
    })
  )

  it.effect("reopen their ticket, unless it is spam", () =>
    Effect.gen(function* () {
      const { tickets } = yield* clientOf("acme-admin")
      const statusAfter = (status: "Open" | "Pending" | "Escalated" | "Closed", isSpam = false) =>
        Effect.gen(function* () {
          const { ticketID } = yield* newTicket({ status })
          const path = { id: ticketID }
          if (isSpam) yield* tickets.updateTicket({ path, payload: { isSpam } })
          const { messageID } = yield* newMessage({ ticketID })
          expect((yield* messageEvents(messageID)).at(-1)).toBe("MessageReceived")
          const after = yield* tickets.getTicket({ path })
          return [after.status, ...(yield* messageEvents(messageID)).slice(0, -1)].join(" ")
        })
      expect(yield* statusAfter("Closed")).toBe("Open TicketReopened")
      expect(yield* statusAfter("Pending")).toBe("Open TicketStatusChanged")
      expect(yield* statusAfter("Open")).toBe("Open")
      expect(yield* statusAfter("Escalated")).toBe("Escalated")
      expect(yield* statusAfter("Closed", true)).toBe("Closed")
      const { ticketID } = yield* newTicket({ status: "Closed" })
      yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent" })
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).status).toBe("Closed")
    })
  )

  it.effect("are refused with every problem at once, and nothing is written", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const before = yield* counts
      const refused = (body: unknown) => refusedPaths("POST", "/ticketMessages/create-new", token, body)
      const channelID = yield* channelOf()
      const foreign = yield* newTicket({}, "globex")
      expect(yield* refused({})).toEqual(["message"])
      expect(yield* refused({ message: "x" })).toEqual(["channelID"])
      expect(yield* refused({ channelID, message: "  ", htmlBody: null })).toEqual(["message"])
      expect(yield* refused({ channelID, message: "x", senderType: "Robot", status: 1 })).toEqual([
        "senderType",
        "status"
      ])
      expect(yield* refused({ channelID: foreign.channelID, message: "x" })).toEqual(["channelID"])
      const deleted = yield* newChannel("acme-admin", "Chat", { isDeleted: true })
      expect(yield* refused({ channelID: deleted, message: "x" })).toEqual(["channelID"])
      for (const ticketID of [foreign.ticketID, 2_147_483_646]) {
        expect(yield* refused({ ticketID, message: "x", uid: "never-made" })).toEqual(["ticketID"])
      }
      const elsewhere = { ticketID: foreign.ticketID, channelID: foreign.channelID, message: "x" }
      expect(yield* refused(elsewhere)).toEqual(["ticketID", "channelID"])
      expect(yield* refused({ ...elsewhere, customerRepID: 2_147_483_646 })).toEqual([
        "ticketID",
        "channelID",
        "customerRepID"
      ])
      const noDates = ["2024-02-30T10:00:00Z", "2024-01-01T24:00:00Z", "Mon, 1 Jan 2024", "2024-1-1", "1", ""]
      for (const messageDate of ["yesterday", "-000001-01-01T00:00:00Z", "+012345-01-01T00:00:00Z", ...noDates]) {
        expect(yield* refused({ channelID, message: "x", messageDate })).toEqual(["messageDate"])
      }
      expect(yield* refused({ channelID, message: "a\u0000b", uid: "\ud800" })).toEqual(["message", "uid"])
      expect(yield* counts).toEqual(before)
    })
  )

  it.effect("are written in one's own name, and by an Admin also in another's", () =>
    Effect.gen(function* () {
      const { ticketID } = yield* newMessage()
      const [admin, agent] = yield* repsOf(1)
      const write = (username: string, customerRepID: number | undefined) =>
        Effect.flatMap(tokenOf(username), (token) =>
          create({ ticketID, message: "We are on it", senderType: "CustomerRep", status: "Sent", customerRepID }, token)
        )
      for (const [username, given, stored] of [
        ["acme-agent", undefined, agent],
        ["acme-agent", agent, agent],
        ["acme-admin", agent, agent],
        ["acme-admin", undefined, admin]
      ] as const) {
        const { json, status } = yield* write(username, given)
        expect([username, given, status, field(json, "customerRepID")]).toEqual([username, given, 200, stored])
      }
      expect((yield* write("acme-agent", admin)).status).toBe(403)
      // Nobody writes in anybody's name when the end user is the sender.
      const token = yield* tokenOf("acme-agent")
      const asked = yield* create({ ticketID, message: "And now?", senderType: "EndUser", customerRepID: admin }, token)
      expect([asked.status, field(asked.json, "customerRepID")]).toEqual([200, null])
      expectError(yield* write("acme-admin", (yield* repsOf(2))[0]), 400, /customerRepID/)
      expect((yield* messagesOf(ticketID)).length).toBe(6)
    })
  )

  it.effect("can be created and read with a phone token on its own channel only", () =>
    Effect.gen(function* () {
      const token = yield* phoneToken
      const phone = yield* channelOf("Phone")
      const chat = yield* channelOf("Chat")
      const made = yield* create({ channelID: phone, message: "Hello?", uid: "+15550177" }, token)
      expect([made.status, made.json]).toMatchObject([200, { channelID: phone, senderType: "EndUser" }])
      const { messageID, ticketID } = yield* Schema.decodeUnknown(TicketMessage)(made.json)
      const spoken = yield* create(
        {
          ticketID,
          message: "Please hold",
          senderType: "CustomerRep",
          status: "Sent",
          customerRepID: (yield* repsOf(1))[0]
        },
        token
      )
      expect([spoken.status, spoken.json]).toMatchObject([200, { status: "Sent", customerRepID: null }])
      expect((yield* create({ channelID: chat, message: "x" }, token)).status).toBe(403)
      const foreign = { channelID: yield* newChannel("globex-admin", "Chat"), message: "x" }
      expect(yield* refusedPaths("POST", "/ticketMessages/create-new", token, foreign)).toEqual(["channelID"])
      const elsewhere = yield* newMessage({ channelID: chat })
      expect(
        yield* refusedPaths("POST", "/ticketMessages/create-new", token, { ticketID: elsewhere.ticketID, message: "x" })
      ).toEqual(["ticketID"])
      const statusOf = (method: string, path: string) =>
        Effect.map(sendJson(method, path, { token, body: method === "GET" ? undefined : {} }), ({ status }) => status)
      expect(yield* statusOf("GET", `/ticketMessages/${messageID}`)).toBe(200)
      expect(yield* statusOf("GET", `/ticketMessages/${messageID}/promptDocuments`)).toBe(200)
      for (const path of [
        `/ticketMessages/${elsewhere.messageID}`,
        `/ticketMessages/${elsewhere.messageID}/promptDocuments`,
        `/ticketMessages?ticketId=${ticketID}`,
        `/tickets/${ticketID}`,
        `/tickets/${ticketID}/messages`
      ]) {
        expect([path, yield* statusOf("GET", path)]).toEqual([path, 403])
      }
      for (const path of ["send", "escalate-by-id", "correct-topics"]) {
        expect([path, yield* statusOf("POST", `/ticketMessages/${messageID}/${path}`)]).toEqual([path, 403])
      }
      expect(yield* statusOf("PUT", `/ticketMessages/${messageID}`)).toBe(403)
      expect((yield* messagesOf(elsewhere.ticketID)).length).toBe(1)
    })
  )

  it.effect("accept changes only to what may change, and can be deleted", () =>
    Effect.gen(function* () {
      const { ticketMessages, tickets } = yield* clientOf("acme-agent")
      const token = yield* tokenOf("acme-admin")
      const first = yield* newMessage()
      const second = yield* newMessage({ ticketID: first.ticketID })
      const path = { id: second.messageID }
      yield* ticketMessages.updateTicketMessage({ path, payload: { aiReply: "Draft", isOpened: true } })
      const status = yield* sendJson("PUT", `/api/ticketMessages/${second.messageID}`, {
        token,
        body: { STATUS: "Replied", message: "other words", customFieldsData: { a: 1 } }
      })
      expect(status.status).toBe(204)
      expect(yield* readMessage(second.messageID)).toEqual({
        ...second,
        aiReply: "Draft",
        isOpened: true,
        customFieldsData: { a: 1 }
      })
      yield* ticketMessages.updateTicketMessage({ path, payload: { aiReply: null, customFieldsData: null } })
      expect(yield* readMessage(second.messageID)).toMatchObject({
        aiReply: null,
        isOpened: true,
        customFieldsData: {}
      })
      const known = yield* messageEvents(second.messageID)
      yield* ticketMessages.updateTicketMessage({ path, payload: { isOpened: true, aiReply: null } })
      yield* ticketMessages.updateTicketMessage({ path, payload: { customFieldsData: {} } })
      expect(yield* messageEvents(second.messageID)).toEqual(known)
      yield* ticketMessages.updateTicketMessage({ path, payload: { isOpened: false, aiReply: null } })
      expect(yield* messageEvents(second.messageID)).toEqual([...known, "MessageChanged"])
      const answer = yield* newMessage({ ticketID: first.ticketID, senderType: "CustomerRep", status: "Sent" })
      const back = { token, body: yield* readMessage(answer.messageID) }
      expect((yield* sendJson("PUT", `/ticketMessages/${answer.messageID}`, back)).status).toBe(204)
      expect(
        yield* Effect.flip(
          ticketMessages.updateTicketMessage({ path: { id: answer.messageID }, payload: { aiReply: "x" } })
        )
      ).toMatchObject({ status: 400, details: [{ path: "aiReply" }] })

      const ofTicket = { path: { id: first.ticketID } }
      const lastSender = Effect.map(tickets.getTicket(ofTicket), ({ lastSenderType }) => lastSenderType)
      expect(yield* lastSender).toBe("CustomerRep")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update ticket set last_sender_type = null where customer_id = 1 and ticket_id = ${first.ticketID}`
      expect(yield* lastSender).toBe("CustomerRep")
      yield* ticketMessages.deleteTicketMessage({ path: { id: answer.messageID } })
      yield* ticketMessages.deleteTicketMessage({ path })
      const ticket = yield* tickets.getTicket(ofTicket)
      expect([ticket.lastMessageDate, ticket.lastSenderType]).toEqual([first.dateCreated, "EndUser"])
      expect(yield* Effect.flip(readMessage(second.messageID))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(ticketMessages.deleteTicketMessage({ path }))).toMatchObject({ status: 404 })
      yield* ticketMessages.deleteTicketMessage({ path: { id: first.messageID } })
      expect(yield* tickets.getTicket(ofTicket)).toMatchObject({ lastMessageDate: null, lastSenderType: null })
    })
  )

  it.effect("lose their prepared answer when a blank one is written: it could not be sent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ticketMessages } = yield* clientOf("acme-agent")
      const token = yield* tokenOf("acme-admin")
      for (const aiReply of ["", " \n"]) {
        const { messageID } = yield* newMessage()
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: "Draft" } })
        const ofMessage = sql`where customer_id = 1 and ticket_message_id = ${messageID}`
        yield* sql`update ticket_message set status = 'Drafted' ${ofMessage}`
        const { status } = yield* sendJson("PUT", `/ticketMessages/${messageID}`, { token, body: { aiReply } })
        expect(status).toBe(204)
        expect(yield* readMessage(messageID)).toMatchObject({ aiReply: null, status: "Received" })
        expect(yield* sql`select is_persons_draft as "isPersonsDraft" from ticket_message ${ofMessage}`).toEqual([
          { isPersonsDraft: false }
        ])
      }
    })
  )

  it.effect("return 403 when they are another customer's, and 404 when they do not exist", () =>
    Effect.gen(function* () {
      const { ticketMessages, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const foreign = yield* newMessage({}, "globex-admin")
      for (const [id, status] of [
        [foreign.messageID, 403],
        [TicketMessageID.make(2_147_483_646), 404]
      ] as const) {
        const path = { id }
        for (const attempt of [
          ticketMessagesOnPhone.getTicketMessage({ path }),
          ticketMessagesOnPhone.listPromptDocuments({ path, urlParams: {} }),
          ticketMessages.updateTicketMessage({ path, payload: { isOpened: true } }),
          ticketMessages.deleteTicketMessage({ path }),
          ticketMessages.correctTopics({ path, payload: { topicIds: [] } }),
          ticketMessages.sendReply({ path, payload: { modifiedAnswer: "x" } }),
          ticketMessages.escalateMessage({ path, payload: {} })
        ]) {
          expect(yield* Effect.flip(attempt)).toMatchObject({ status })
        }
      }
      const { ticketMessagesOnPhone: globex } = yield* clientOf("globex-admin")
      expect(yield* globex.getTicketMessage({ path: { id: foreign.messageID } })).toEqual(foreign)
    })
  )

  it.effect("are listed oldest first, page by page, under both paths", () =>
    Effect.gen(function* () {
      const { ticketMessages } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { messageID, ticketID } = yield* newMessage({ subject: "b" })
      const more = yield* Effect.forEach(["C", "a", "d"], (subject) => newMessage({ ticketID, subject }))
      const ids = [messageID, ...more.map((message) => message.messageID)]
      const listed = (query: string) =>
        Effect.map(
          Effect.flatMap(sendJson("GET", query, { token }), ({ json }) => decodePage(json)),
          ({ items, totalCount, totalPages }) => [items.map((item) => item.messageID), totalCount, totalPages] as const
        )
      expect(yield* listed(`/ticketMessages?ticketId=${ticketID}`)).toEqual([ids, 4, 1])
      expect(yield* listed(`/api/Tickets/${ticketID}/messages?pageSize=3`)).toEqual([ids.slice(0, 3), 4, 2])
      expect(yield* listed(`/tickets/${ticketID}/messages?pageSize=3&pageNumber=2`)).toEqual([ids.slice(3), 4, 2])
      expect(yield* listed(`/api/ticketMessages?TICKETID=${ticketID}&sortBy=subject&sortOrder=desc`)).toEqual([
        [ids[3], ids[1], ids[0], ids[2]],
        4,
        1
      ])
      for (const sortBy of "messageID ticketID channelID dateCreated messageDate senderType customerRepID customerRepName status subject message preview htmlBody textBody fromAddress fromName toAddress uid pageURL pageScreenshot isOpened isEscalated hasAttachment aI_FeedbackComment aiReply customFieldsData".split(
        " "
      )) {
        const [up, count] = yield* listed(`/ticketMessages?ticketId=${ticketID}&sortBy=${sortBy}`)
        const [down] = yield* listed(`/ticketMessages?ticketId=${ticketID}&sortBy=${sortBy}&sortOrder=desc`)
        expect([sortBy, count, down.toReversed()]).toEqual([sortBy, 4, up])
      }
      expect(yield* listed(`/ticketMessages?ticketId=${ticketID}&pageNumber=9`)).toEqual([[], 4, 1])
      const empty = yield* newTicket()
      expect(yield* listed(`/ticketMessages?ticketId=${empty.ticketID}`)).toEqual([[], 0, 0])
      const foreign = yield* newMessage({}, "globex-admin")
      for (const id of [foreign.ticketID, TicketID.make(2_147_483_646)]) {
        const missing = { status: 404, message: `There is no ticket ${id}.` }
        expect(yield* Effect.flip(ticketMessages.listTicketMessages({ urlParams: { ticketId: id } }))).toMatchObject(
          missing
        )
        expect(yield* Effect.flip(ticketMessages.listMessagesOfTicket({ path: { id }, urlParams: {} }))).toMatchObject(
          missing
        )
      }
      expect((yield* sendJson("GET", "/ticketMessages", { token })).status).toBe(400)
    })
  )

  it.effect("take corrected topics, and remember the correction", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ticketMessages, tickets } = yield* clientOf("acme-agent")
      const { messageID, ticketID } = yield* newMessage()
      const [one, two] = [yield* newTopic("acme-admin"), yield* newTopic("acme-admin")]
      const foreign = yield* newTopic("globex-admin")
      const path = { id: messageID }
      const correct = (...topicIds: ReadonlyArray<TopicID>) =>
        Effect.zipRight(
          ticketMessages.correctTopics({ path, payload: { topicIds } }),
          Effect.map(readMessage(messageID), ({ topics }) => topics.map(({ topicID }) => topicID))
        )
      expect(yield* correct(two.topicID, one.topicID, two.topicID)).toEqual([two.topicID, one.topicID])
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).topics).toEqual([one.name, two.name].toSorted())
      for (const stranger of [foreign.topicID, TopicID.make(2_147_483_646)]) {
        expect(yield* Effect.flip(correct(one.topicID, stranger))).toMatchObject({
          status: 400,
          details: [{ path: "topicIds.1" }]
        })
      }
      expect(yield* correct(one.topicID)).toEqual([one.topicID])
      expect(yield* correct()).toEqual([])
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).topics).toEqual([])
      const corrections = yield* sql`
        select topics_before as before, topics_after as after, customer_rep_id is not null as person
        from topic_correction where customer_id = 1 and ticket_message_id = ${messageID} order by topic_correction_id`
      expect(corrections).toEqual([
        { before: [], after: [two.name, one.name], person: true },
        { before: [two.name, one.name], after: [one.name], person: true },
        { before: [one.name], after: [], person: true }
      ])
      expect((yield* messageEvents(messageID)).filter((kind) => kind === "TopicsCorrected")).toHaveLength(3)
    })
  )
})
