import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Schema, Struct } from "effect"
import { hubEvents, ResumedChat, VisitorMessage } from "../../schema/Hub.ts"
import { CustomerID, type TicketMessageID } from "../../schema/Ids.ts"
import { PresenceRepo } from "../../src/representatives/PresenceRepo.ts"
import { eventually } from "../support/Eventually.ts"
import { field, fieldsOf, textIn } from "../support/Fields.ts"
import { hurry } from "../support/HurriedJobs.ts"
import { clientOf, quietApp, sendJson, testApp } from "../support/TestApp.ts"
import { onPostgres } from "../support/TestDatabase.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { newMessage, readMessage } from "../ticketMessages/MessageTools.ts"
import { channelOf } from "../tickets/TicketTools.ts"
import { allTold, firstOfEach, nextTold, peer, repPeer, say, type Told, toldMessage, visitorPeer } from "./HubTools.ts"

const { toRepresentatives, toVisitors } = hubEvents
const decodeMessage = Schema.decodeUnknown(toRepresentatives.MessageReceived)
const decodeTicket = Schema.decodeUnknown(toRepresentatives.TicketUpdated)
const decodeDraft = Schema.decodeUnknown(toRepresentatives.DraftReady)
const decodeVisitorMessage = Schema.decodeUnknown(toVisitors.MessageReceived)
const decodeChat = Schema.decodeUnknown(ResumedChat)

const isAgentAvailable = Effect.flatMap(PresenceRepo, (presence) => presence.isAgentAvailable(CustomerID.make(1)))

/** How many mails about an escalation of the ticket were ordered. */
const escalationMails = (ticketID: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select 1 from job j join ticket_message m on m.customer_id = 1
        and m.ticket_message_id = (j.payload ->> 'ticketMessageID')::int and m.ticket_id = ${ticketID}
      where j.customer_id = 1 and j.kind = 'NotifyEscalation'`
  ).pipe(Effect.map(({ length }) => length))

/** Makes the mails about escalations that were ordered so far older. */
const makeOlder = (minutes: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update job set created_at = created_at - make_interval(mins => ${minutes}::int)
      where customer_id = 1 and kind = 'NotifyEscalation'`
  )

layer(testApp(), { excludeTestServices: true })("A chat with automation", (it) => {
  it.scoped("goes from the visitor to a draft, to the representative, and back", () =>
    Effect.gen(function* () {
      const rep = yield* repPeer("acme-agent")
      const visitor = yield* visitorPeer()
      const sent = yield* say(visitor, "I lost my key")
      // Concurrent events are told as they happen: the draft may come before its ticket.
      const told = yield* firstOfEach(rep, ["MessageReceived", "TicketUpdated", "DraftReady"])
      const received = yield* decodeMessage(told.get("MessageReceived"))
      expect(received).toMatchObject({ messageID: sent.messageID, message: "I lost my key", senderType: "EndUser" })
      expect(yield* decodeTicket(told.get("TicketUpdated"))).toMatchObject({
        ticketID: sent.ticketID,
        ticketToken: sent.ticketToken,
        channelType: "Chat"
      })
      const draft = yield* decodeDraft(told.get("DraftReady"))
      expect(draft).toMatchObject({ messageID: sent.messageID, aiReply: expect.stringContaining("[sandbox]") })
      const { ticketMessages } = yield* clientOf("acme-agent")
      yield* ticketMessages.sendReply({
        path: { id: sent.messageID },
        payload: { modifiedAnswer: "We are on our way" }
      })
      // The visitor's own message comes first, for its other windows.
      expect(yield* nextTold(visitor, "MessageReceived")).toMatchObject({ messageID: sent.messageID })
      expect(yield* nextTold(visitor, "AgentJoined")).toEqual({ name: received.customerRepName ?? expect.any(String) })
      const answer = yield* nextTold(visitor, "MessageReceived")
      expect(yield* decodeVisitorMessage(answer)).toMatchObject({
        ticketID: sent.ticketID,
        senderType: "CustomerRep",
        message: "We are on our way"
      })
      expect(Object.keys(fieldsOf(answer)).sort()).toEqual(Struct.keys(VisitorMessage.fields).sort())
      expect((yield* allTold(visitor)).map(({ event }) => event)).toEqual([])
    })
  )
})

layer(quietApp(), { excludeTestServices: true })("A chat", (it) => {
  it.scoped("tells a visitor who resumes it what is said while it is being loaded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rep = yield* repPeer("acme-agent")
      const { ticketID, ticketToken } = yield* Effect.scoped(
        Effect.flatMap(visitorPeer(), (visitor) => say(visitor, "Anybody there?"))
      )
      yield* rep.invoke("JoinTicket", ticketID)
      const visitor = yield* visitorPeer()
      const [locked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // The lock keeps the messages from being read; on the embedded database it would keep everything from being read.
      const holder = yield* sql`lock table ticket_message in access exclusive mode`.pipe(
        Effect.zipRight(Deferred.succeed(locked, undefined)),
        Effect.zipRight(Deferred.await(goOn)),
        sql.withTransaction,
        Effect.when(() => onPostgres),
        Effect.fork
      )
      if (onPostgres) yield* Deferred.await(locked)
      const resuming = yield* Effect.fork(visitor.invoke("ResumeChat", ticketToken))
      if (onPostgres) {
        yield* eventually(rep.invoke("Typing", ticketID).pipe(Effect.zipRight(allTold(visitor))), (told) =>
          told.some(({ event }) => event === "Typing")
        )
      }
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(holder)
      expect(yield* decodeChat(yield* Fiber.join(resuming))).toMatchObject({ ticketID, ticketToken })
      const { messageID } = yield* say(rep, "Yes", ticketID)
      yield* toldMessage(visitor, messageID)
    })
  )

  it.scoped("is one ticket, whatever the visitor sends, and closed to other visitors", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const stranger = yield* visitorPeer()
      const [first, second] = yield* Effect.all([say(visitor, "One"), say(visitor, "Two")], { concurrency: 2 })
      expect(second.ticketID).toBe(first.ticketID)
      expect((yield* say(visitor, "Three", first.ticketID)).ticketID).toBe(first.ticketID)
      for (const [method, argument] of [
        ["SendMessage", { message: "Mine?", ticketID: first.ticketID }],
        ["Typing", first.ticketID],
        ["RequestAgent", { ticketID: first.ticketID }],
        ["JoinTicket", first.ticketID],
        ["LeaveTicket", first.ticketID],
        ["ResumeChat", "4b7f6d0e-51c2-4f0c-9a55-0d1b1f1f2f3f"],
        ["ResumeChat", "x' or 1=1"]
      ] as const) {
        expect((yield* Effect.flip(stranger.invoke(method, argument))).message).toMatch(
          /not your chat|Only representatives|no such chat/
        )
      }
      const own = yield* say(stranger, "My own")
      expect(own.ticketID).not.toBe(first.ticketID)
      const told = yield* eventually(allTold(stranger), (all) => all.length > 0)
      expect([...told, ...(yield* allTold(stranger))].map(({ argument }) => field(argument, "ticketID"))).toEqual([
        own.ticketID
      ])
    })
  )

  it.scoped("can be resumed after a reload, with what was said meanwhile", () =>
    Effect.gen(function* () {
      const { ticketID, ticketToken } = yield* Effect.scoped(
        Effect.flatMap(visitorPeer(), (visitor) => say(visitor, "Anybody there?"))
      )
      const rep = yield* repPeer("acme-agent")
      yield* say(rep, "Yes, I am", ticketID)
      const visitor = yield* visitorPeer()
      const chat = yield* decodeChat(yield* visitor.invoke("ResumeChat", ticketToken))
      expect(chat).toMatchObject({ ticketID, ticketToken, isClosed: false, agentName: expect.any(String) })
      expect(chat.messages.map(({ message, senderType }) => [senderType, message])).toEqual([
        ["EndUser", "Anybody there?"],
        ["CustomerRep", "Yes, I am"]
      ])
      const other = yield* visitorPeer()
      yield* other.invoke("ResumeChat", ticketToken)
      const good = yield* say(visitor, "Good")
      expect(good.ticketID).toBe(ticketID)
      // It may also be told what was said just before it connected.
      expect(yield* toldMessage(other, good.messageID)).toMatchObject({ message: "Good" })
      yield* say(rep, "In both windows", ticketID)
      for (const window of [visitor, other]) {
        yield* eventually(allTold(window), (told) =>
          told.some(({ argument }) => field(argument, "message") === "In both windows")
        )
      }
    })
  )

  it.scoped("is gone once deleted, and the next message begins another one", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const { tickets } = yield* clientOf("acme-admin")
      const first = yield* say(visitor, "Hello?")
      yield* tickets.deleteTicket({ path: { id: first.ticketID } })
      expect((yield* Effect.flip(say(visitor, "Still there?", first.ticketID))).message).toMatch(
        /There is no such chat/
      )
      const second = yield* say(visitor, "Still there?")
      expect(second.ticketID).not.toBe(first.ticketID)
      expect((yield* say(visitor, "Good.", second.ticketID)).ticketID).toBe(second.ticketID)
    })
  )

  it.scoped("begins with the next message when it could not begin before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const visitor = yield* visitorPeer()
      yield* sql`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`
      yield* sql`
        create constraint trigger refused after insert on ticket deferrable initially deferred
        for each row execute function refuse()`
      expect((yield* Effect.flip(say(visitor, "Hello?"))).message).toMatch(/unexpected/)
      yield* sql`drop function refuse cascade`
      const { ticketID } = yield* say(visitor, "Hello again")
      expect((yield* say(visitor, "Anybody there?", ticketID)).ticketID).toBe(ticketID)
    })
  )

  it.scoped("accepts nothing while its channel is switched off", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const { channels, ticketMessages } = yield* clientOf("acme-admin")
      const { ticketID, ticketToken } = yield* say(visitor, "Hello?")
      const path = { id: yield* channelOf("Chat") }
      yield* channels.updateChannel({ path, payload: { isActive: false } })
      // The connection ends within seconds, perhaps before it can send anything.
      const refused = /switched off|not in the 'Connected' State/
      expect((yield* Effect.flip(say(visitor, "Still there?", ticketID))).message).toMatch(refused)
      expect((yield* Effect.flip(visitor.invoke("RequestAgent", {}))).message).toMatch(refused)
      expect((yield* visitor.ended)?.message).toMatch(/switched off/)
      yield* channels.updateChannel({ path, payload: { isActive: true } })
      const back = yield* visitorPeer()
      yield* back.invoke("ResumeChat", ticketToken)
      yield* say(back, "And now?", ticketID)
      // Once the node has ended another channel that is off, it has looked again and knows that this one is on.
      const { channelID, token } = yield* channels.createChannel({
        payload: { channelType: "Chat", name: "Another", isActive: true }
      })
      const other = yield* peer(`?channelToken=${token}`)
      yield* channels.updateChannel({ path: { id: channelID }, payload: { isActive: false } })
      const [backIsGone, otherIsGone] = [Effect.as(back.ended, "back"), Effect.as(other.ended, "other")]
      expect(yield* Effect.raceFirst(backIsGone, otherIsGone)).toBe("other")
      yield* say(back, "Still open", ticketID)
      const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID } })
      expect(items.map(({ message }) => message).sort()).toEqual(["And now?", "Hello?", "Still open"])
    })
  )

  it.scoped("cannot be resumed from a ticket of another channel", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const elsewhere = yield* newMessage({ channelID: yield* channelOf("Email") })
      const { tickets } = yield* clientOf("acme-admin")
      const { ticketToken } = yield* tickets.getTicket({ path: { id: elsewhere.ticketID } })
      expect((yield* Effect.flip(visitor.invoke("ResumeChat", ticketToken))).message).toBe("There is no such chat.")
    })
  )

  it.scoped("announces a representative once, however often they join", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const rep = yield* repPeer("acme-agent")
      const { ticketID } = yield* say(visitor, "Hello")
      yield* Effect.all([rep.invoke("JoinTicket", ticketID), rep.invoke("joinTICKET", ticketID)], { concurrency: 2 })
      yield* rep.invoke("LeaveTicket", ticketID)
      yield* rep.invoke("JoinTicket", ticketID)
      yield* say(rep, "Here I am", ticketID)
      const admin = yield* repPeer("acme-admin")
      yield* admin.invoke("JoinTicket", ticketID)
      const told = yield* eventually(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`
          select kind from event where customer_id = 1 and ticket_id = ${ticketID} and kind = 'AgentJoined'`
        ),
        (rows) => rows.length === 2
      )
      expect(told).toHaveLength(2)
      const events: Array<string> = []
      yield* eventually(
        Effect.map(allTold(visitor), (all) => {
          events.push(...all.map(({ event }) => event))
          return events
        }),
        (all) => all.filter((event) => event === "AgentJoined").length === 2
      )
      expect(events).toEqual(["MessageReceived", "AgentJoined", "MessageReceived", "AgentJoined"])
    })
  )

  it.scoped("can be handed to a person, who learns how to reply later", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      expect((yield* Effect.flip(visitor.invoke("RequestAgent", {}))).message).toMatch(/Send a message first/)
      // Whether an agent is available is updated a moment after the last one has left the hub.
      yield* eventually(isAgentAvailable, (is) => !is)
      const { ticketID, ticketToken } = yield* say(visitor, "I want a person")
      expect(yield* visitor.invoke("RequestAgent", { ticketID })).toEqual({
        agentAvailable: false,
        customerRepName: expect.any(String)
      })
      const rep = yield* repPeer("acme-agent")
      yield* eventually(isAgentAvailable, (is) => is)
      expect(yield* visitor.invoke("RequestAgent", { email: "me@mail.example" })).toMatchObject({
        agentAvailable: true
      })
      expect((yield* Effect.flip(visitor.invoke("RequestAgent", { email: "nonsense" }))).message).toMatch(/email/)
      const { tickets } = yield* clientOf("acme-admin")
      expect(yield* tickets.getTicket({ path: { id: ticketID } })).toMatchObject({
        status: "Escalated",
        customFieldsData: { visitorEmail: "me@mail.example" },
        aiFeedbackComments: ["The visitor asks for a person. Reply to me@mail.example."]
      })
      // One mail with the wish for a person, and one with the address.
      expect(yield* escalationMails(ticketID)).toBe(2)
      yield* say(visitor, "Nobody there?")
      yield* visitor.invoke("RequestAgent", { email: "other@mail.example" })
      expect(yield* escalationMails(ticketID)).toBe(2)
      yield* makeOlder(16)
      yield* say(visitor, "Still nobody?")
      yield* visitor.invoke("RequestAgent", { ticketID })
      expect(yield* escalationMails(ticketID)).toBe(3)
      yield* rep.invoke("JoinTicket", ticketID)
      const liked = yield* sendJson("GET", `/ticketMessages/${ticketToken}/like-dislike?like=false`)
      expect(liked.json).toMatchObject({ agentAvailable: true })
    })
  )

  it.scoped("mails what a person answers to a visitor that has left an address and does not come back", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const rep = yield* repPeer("acme-agent")
      const anonymous = yield* say(visitor, "Is it raining?")
      yield* say(rep, "It is", anonymous.ticketID)
      const other = yield* visitorPeer()
      const { ticketID, ticketToken } = yield* say(other, "Where is my parcel?")
      yield* other.invoke("RequestAgent", { email: "zoe@home.example" })
      const first = yield* say(rep, "I am looking", ticketID)
      const { messageID } = yield* say(rep, "It is at the neighbour's", ticketID)
      const sql = yield* SqlClient.SqlClient
      const ordered = sql<{ messageID: number; isOpen: boolean }>`
        select (payload ->> 'ticketMessageID')::int as "messageID", status in ('Queued', 'Running') as "isOpen" from job
        where customer_id = 1 and kind = 'MailVisitor' order by 1`
      const waiting = [first.messageID, messageID].map((id) => ({ messageID: id, isOpen: true }))
      expect(yield* eventually(ordered, ({ length }) => length === 2)).toEqual(waiting)
      const { count, fail, next } = yield* TestMailer
      yield* sql`update ticket_message set created_at = created_at - interval '3 minutes'
        where customer_id = 1 and ticket_id = ${ticketID}`
      yield* eventually(Effect.zipRight(hurry("MailVisitor"), ordered), (jobs) => jobs.every(({ isOpen }) => !isOpen))
      const mails = yield* Effect.replicateEffect(next, yield* count)
      const [mailed, ...more] = mails.filter(({ to }) => to === "zoe@home.example")
      expect(more).toEqual([])
      expect(mailed).toMatchObject({
        subject: `Acme Rentals #${ticketID}`,
        text: expect.stringMatching(/^I am looking\n\nIt is at the neighbour's(?:\n\n-- \n[\s\S]*)?$/),
        replyTo: "support@acme.example",
        isAutomatic: false,
        messageId: expect.not.stringContaining(ticketToken),
        about: messageID
      })

      const sayLater = (text: string, jobs: number) =>
        Effect.gen(function* () {
          const said = yield* say(rep, text, ticketID)
          yield* eventually(ordered, ({ length }) => length === jobs)
          yield* sql`update ticket_message set created_at = created_at - interval '6 minutes'
            where customer_id = 1 and ticket_id = ${ticketID}`
          return said.messageID
        })
      const ended = eventually(Effect.zipRight(hurry("MailVisitor"), ordered), (jobs) =>
        jobs.every(({ isOpen }) => !isOpen)
      )
      const notesOf = (id: number) => sql<{ note: string | null }>`
        select delivery_error as note from ticket_message where customer_id = 1 and ticket_message_id = ${id}`
      const refused = Object.assign(new Error("550 no such mailbox"), { responseCode: 550, code: "EENVELOPE" })

      // A node that has lost the job notes nothing: the visitor may have been erased by then.
      const lost = sql`update job set claims = claims + 1, due_at = now() + interval '2 seconds'
        where customer_id = 1 and kind = 'MailVisitor' and status = 'Running'`
      const second = yield* sayLater("Are you there?", 3)
      yield* fail(refused, Effect.orDie(Effect.zipRight(lost, fail())))
      yield* ended
      expect((yield* next).text).toMatch(/^Are you there/)
      expect(yield* notesOf(second)).toEqual([{ note: null }])

      // A refusal is not tried again, and its author learns of it.
      const last = yield* sayLater("Did you get it?", 4)
      yield* fail(refused)
      yield* ended
      expect(yield* notesOf(last)).toEqual([
        { note: "The answer could not be mailed to the visitor: 550 no such mailbox" }
      ])
      yield* fail()
    })
  )

  it.scoped.each([
    { what: "before the address was left", question: undefined, mailed: ["Which one do you mean?"] },
    { what: "before a question whose automation failed", question: "The last one", mailed: ["At the neighbour's"] }
  ])("mails nothing that was said $what", ({ mailed, question }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { count, next } = yield* TestMailer
      const rep = yield* repPeer("acme-agent")
      const visitor = yield* visitorPeer()
      const { ticketID } = yield* say(visitor, "Where is my parcel?")
      const { messageID: early } = yield* say(rep, "Which number?", ticketID)
      yield* eventually(
        sql`select 1 from ticket_message where customer_id = 1 and ticket_message_id = ${early} and status = 'Sent'`,
        ({ length }) => length > 0
      )
      const email = `max-${ticketID}@home.example`
      yield* visitor.invoke("RequestAgent", { email })
      yield* say(rep, "Which one do you mean?", ticketID)
      if (question !== undefined) {
        const { messageID } = yield* say(visitor, question, ticketID)
        yield* sql`
          update ticket_message set status = 'Failed' where customer_id = 1 and ticket_message_id = ${messageID}`
        yield* say(rep, "At the neighbour's", ticketID)
      }
      const isOpen = sql<{ isOpen: boolean }>`
        select status in ('Queued', 'Running') as "isOpen" from job
        where customer_id = 1 and kind = 'MailVisitor' and payload ->> 'ticketID' = ${String(ticketID)}`
      yield* eventually(isOpen, ({ length }) => length === (question === undefined ? 1 : 2))
      yield* sql`
        with aged as (
          select ticket_message_id as id, rank() over (order by ticket_message_id desc) as place from ticket_message
          where customer_id = 1 and ticket_id = ${ticketID})
        update ticket_message set created_at = created_at - interval '1 hour' * place from aged
        where customer_id = 1 and ticket_message_id = id`
      yield* eventually(Effect.zipRight(hurry("MailVisitor"), isOpen), (jobs) => jobs.every(({ isOpen }) => !isOpen))
      const mails = yield* Effect.flatMap(count, (number) => Effect.replicateEffect(next, number))
      expect(mails.flatMap(({ text, to }) => (to === email ? [text.split("\n\n-- ")[0]] : []))).toEqual(mailed)
    })
  )

  it.scoped("mails an answer that was to go with a later one also when that one is deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rep = yield* repPeer("acme-agent")
      const { ticketMessages, tickets } = yield* clientOf("acme-admin")
      const { count, next } = yield* TestMailer

      const jobsOf = (ids: ReadonlyArray<number>) => sql<{ messageID: number; isOpen: boolean }>`
        select (payload ->> 'ticketMessageID')::int as "messageID", status in ('Queued', 'Running') as "isOpen" from job
        where customer_id = 1 and kind = 'MailVisitor' and payload ->> 'ticketMessageID' = any(${ids.map(String)}::text[])`
      /** A chat with two answers that its visitor has not seen, and the job of the first has run. */
      const answeredTwice = Effect.gen(function* () {
        const visitor = yield* visitorPeer()
        const { ticketID } = yield* say(visitor, "Where is my parcel?")
        const email = `zoe-${ticketID}@home.example`
        yield* visitor.invoke("RequestAgent", { email })
        const first = (yield* say(rep, "At the neighbour's", ticketID)).messageID
        const second = (yield* say(rep, "That was for somebody else", ticketID)).messageID
        const jobs = jobsOf([first, second])
        yield* eventually(jobs, ({ length }) => length === 2)
        yield* sql`
          update ticket_message set created_at = created_at - interval '90 seconds'
            - case when ticket_message_id < ${second} then interval '90 seconds' else interval '0' end
          where customer_id = 1 and ticket_id = ${ticketID}`
        yield* eventually(Effect.zipRight(hurry("MailVisitor"), jobs), (all) =>
          all.every(({ isOpen, messageID }) => isOpen === (messageID === second))
        )
        const ended = eventually(Effect.zipRight(hurry("MailVisitor"), jobs), (all) =>
          all.every(({ isOpen }) => !isOpen)
        )
        return { email, ended, first, second, ticketID }
      })
      const mailsTo = (email: string) =>
        Effect.flatMap(count, (number) => Effect.replicateEffect(next, number)).pipe(
          Effect.map((mails) => mails.filter(({ to }) => to === email))
        )

      const { email, ended, first, second } = yield* answeredTwice
      expect(yield* mailsTo(email)).toEqual([])
      yield* ticketMessages.deleteTicketMessage({ path: { id: second } })
      yield* ended
      const mails = yield* mailsTo(email)
      expect(mails).toHaveLength(1)
      expect(mails[0]).toMatchObject({
        about: first,
        text: expect.stringMatching(/^At the neighbour's(?!.*somebody)/s)
      })

      // Its own job mails it no more.
      yield* sql`update job set status = 'Queued', attempts = 0 where customer_id = 1 and kind = 'MailVisitor'
        and payload ->> 'ticketMessageID' = ${String(first)}`
      yield* ended
      expect(yield* mailsTo(email)).toEqual([])

      // Nobody is mailed from a deleted ticket, nor who is forgotten.
      const gone = yield* answeredTwice
      yield* tickets.deleteTicket({ path: { id: gone.ticketID } })
      yield* gone.ended
      expect(yield* mailsTo(gone.email)).toEqual([])
      const forgotten = yield* answeredTwice
      yield* sql`update ticket set custom_fields = '{}' where customer_id = 1 and ticket_id = ${forgotten.ticketID}`
      yield* ticketMessages.deleteTicketMessage({ path: { id: forgotten.second } })
      yield* forgotten.ended
      expect(yield* mailsTo(forgotten.email)).toEqual([])
    })
  )

  it.scoped.each(["Support+Parcel@acme.example", "bob,support@acme.example", "<zoe@home.example>"])(
    "is not mailed to %s, who is the team itself or not one visitor",
    (email) =>
      Effect.gen(function* () {
        const visitor = yield* visitorPeer()
        const rep = yield* repPeer("acme-agent")
        const { ticketID } = yield* say(visitor, `Write to ${email}`)
        yield* visitor.invoke("RequestAgent", { email })
        const { messageID } = yield* say(rep, "We will", ticketID)
        const sql = yield* SqlClient.SqlClient
        const isOpen = Effect.map(
          sql`select 1 from job where customer_id = 1 and payload ->> 'ticketMessageID' = ${String(messageID)}
            and status in ('Queued', 'Running')`,
          ({ length }) => length > 0
        )
        yield* eventually(
          sql`select 1 from ticket_message where customer_id = 1 and ticket_message_id = ${messageID} and status = 'Sent'`,
          ({ length }) => length > 0
        )
        yield* sql`update ticket_message set created_at = created_at - interval '6 minutes'
          where customer_id = 1 and ticket_id = ${ticketID}`
        yield* eventually(Effect.zipRight(hurry("MailVisitor"), isOpen), (open) => !open)
        const { count, next } = yield* TestMailer
        const mails = yield* Effect.replicateEffect(next, yield* count)
        expect(mails.filter(({ subject }) => subject.endsWith(`#${ticketID}`))).toEqual([])
      })
  )

  it.scoped("is mailed to a person also when a representative has escalated its ticket before", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const { ticketID } = yield* say(visitor, "Hello?")
      const { tickets } = yield* clientOf("acme-admin")
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Escalated" } })
      expect(yield* escalationMails(ticketID)).toBe(0)
      yield* visitor.invoke("RequestAgent", { ticketID })
      expect(yield* escalationMails(ticketID)).toBe(1)

      // Somebody else was told of the same message, but not the default representative.
      const other = yield* visitorPeer()
      const chat = yield* say(other, "And me?")
      const { ticketMessages } = yield* clientOf("acme-admin")
      const payload = { email: "boss@acme.example" }
      yield* ticketMessages.escalateMessage({ path: { id: chat.messageID }, payload })
      yield* other.invoke("RequestAgent", {})
      expect(yield* escalationMails(chat.ticketID)).toBe(2)
    })
  )

  it.scoped("keeps a representative's comment, and an address, when its visitor asks for a person again", () =>
    Effect.gen(function* () {
      const { ticketMessages, tickets } = yield* clientOf("acme-admin")
      const { next } = yield* TestMailer
      const commentOf = (id: TicketMessageID) => Effect.map(readMessage(id), (message) => message.aI_FeedbackComment)

      const visitor = yield* visitorPeer()
      const { messageID, ticketID } = yield* say(visitor, "What does the cellar cost?")
      const feedbackComment = "The draft names last year's price."
      yield* ticketMessages.escalateMessage({ path: { id: messageID }, payload: { feedbackComment } })
      yield* visitor.invoke("RequestAgent", { ticketID })
      expect(yield* commentOf(messageID)).toBe(feedbackComment)
      yield* visitor.invoke("RequestAgent", { email: "eva@mail.example" })
      expect(yield* tickets.getTicket({ path: { id: ticketID } })).toMatchObject({
        customFieldsData: { visitorEmail: "eva@mail.example" },
        aiFeedbackComments: [feedbackComment]
      })
      // The wish itself reaches somebody as ever.
      expect(yield* escalationMails(ticketID)).toBe(2)
      const { text } = yield* Effect.repeat(next, { until: (mail) => mail.text.includes("eva@mail.example") })
      expect(text).toContain(
        `\nComment: The visitor asks for a person. Reply to eva@mail.example.\nComment: ${feedbackComment}\n`
      )

      const other = yield* visitorPeer()
      const chat = yield* say(other, "And the attic?")
      for (const [request, comment] of [
        [{}, "The visitor asks for a person."],
        [{ email: "zoe@mail.example" }, "The visitor asks for a person. Reply to zoe@mail.example."],
        [{}, "The visitor asks for a person. Reply to zoe@mail.example."],
        [{ email: "zoe@home.example" }, "The visitor asks for a person. Reply to zoe@home.example."]
      ] as const) {
        yield* other.invoke("RequestAgent", request)
        expect(yield* commentOf(chat.messageID)).toBe(comment)
      }
      const ownWords = "The visitor asks for a person. Reply to zoe@home.example. Call her first."
      const payload = { feedbackComment: ownWords }
      yield* ticketMessages.escalateMessage({ path: { id: chat.messageID }, payload })
      yield* other.invoke("RequestAgent", { email: "zoe@mail.example" })
      expect(yield* commentOf(chat.messageID)).toBe(ownWords)
    })
  )

  it.scoped("reports a new ticket once, although both the ticket and its message are events", () =>
    Effect.gen(function* () {
      const rep = yield* repPeer("acme-agent")
      const { ticketID } = yield* newMessage({ message: "One", fromAddress: "new.once@mail.example" })
      const again = yield* newMessage({ message: "Two", fromAddress: "new.once@mail.example" })
      const toldOf: Array<unknown> = []
      const untilToldOf = Effect.fnUntraced(function* (...ids: ReadonlyArray<number>) {
        while (!ids.every((id) => toldOf.includes(id))) {
          toldOf.push(field(yield* nextTold(rep, "TicketUpdated"), "ticketID"))
        }
      })
      // In any order: events that another node might have recorded are told a little later than local ones.
      yield* untilToldOf(ticketID, again.ticketID)
      yield* untilToldOf((yield* newMessage({ message: "Three", fromAddress: "new.once@mail.example" })).ticketID)
      expect(toldOf.filter((told) => told === ticketID)).toHaveLength(1)
    })
  )

  it.scoped("reports changes in tickets of any channel to the customer's own representatives only", () =>
    Effect.gen(function* () {
      const rep = yield* repPeer("acme-agent")
      const foreign = yield* repPeer("globex-admin")
      const { messageID, ticketID } = yield* newMessage({ message: "By mail" })
      expect(yield* decodeMessage(yield* toldMessage(rep, messageID))).toMatchObject({ messageID, message: "By mail" })
      const { tickets } = yield* clientOf("acme-admin")
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Closed" } })
      yield* eventually(nextTold(rep, "TicketUpdated"), (ticket) => field(ticket, "status") === "Closed")
      const { ticketMessages } = yield* clientOf("acme-admin")
      yield* ticketMessages.deleteTicketMessage({ path: { id: messageID } })
      yield* eventually(nextTold(rep, "TicketUpdated"), (ticket) => field(ticket, "lastMessageDate") === null)
      const theirs = yield* newMessage({ message: "Theirs" }, "globex-admin")
      yield* toldMessage(foreign, theirs.messageID)
      expect((yield* Effect.flip(foreign.invoke("JoinTicket", ticketID))).message).toBe(
        `There is no ticket ${ticketID}.`
      )
      expect((yield* Effect.flip(say(foreign, "x", ticketID))).message).toMatch(/ticketID is not one of your tickets/)
    })
  )
})

let now = Date.now()

/** Time passes only when the test says so, whatever the wall clock shows. */
const StoppedClock = Layer.unwrapEffect(
  Effect.map(Effect.clock, (clock) =>
    Layer.setClock({
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
      currentTimeMillis: clock.currentTimeMillis,
      unsafeCurrentTimeNanos: () => BigInt(now) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
      sleep: (duration) => clock.sleep(duration)
    })
  )
)

layer(quietApp().pipe(Layer.provide(StoppedClock)), { excludeTestServices: true })(
  "A chat in which time stands still",
  (it) => {
    it.scoped("shows both sides that the other is typing, at most once a second", () =>
      Effect.gen(function* () {
        const visitor = yield* visitorPeer()
        const rep = yield* repPeer("acme-agent")
        const bystander = yield* repPeer("acme-admin")
        const { ticketID } = yield* say(visitor, "Hello")
        expect((yield* Effect.flip(rep.invoke("Typing", ticketID))).message).toBe("Join the ticket first.")
        yield* rep.invoke("JoinTicket", ticketID)
        yield* Effect.all([visitor.invoke("Typing", ticketID), visitor.invoke("Typing", ticketID)])
        expect(yield* nextTold(rep, "Typing")).toEqual({ from: "Chat visitor", ticketID })
        yield* rep.invoke("Typing", ticketID)
        const from = textIn(yield* nextTold(visitor, "Typing"), "from")
        expect(from).toMatch(/\S/)
        // Representatives hear about every ticket, and which one it is. A join is looked up before it is told.
        const heard: Array<Told> = []
        const argumentsOf = (name: string) =>
          heard.filter(({ event }) => event === name).map(({ argument }) => argument)
        yield* eventually(
          Effect.map(allTold(bystander), (more) => heard.push(...more)),
          () => argumentsOf("Typing").length > 1 && argumentsOf("AgentJoined").length > 0
        )
        expect(argumentsOf("Typing")).toEqual([
          { from: "Chat visitor", ticketID },
          { from, ticketID, customerRepID: expect.any(Number) }
        ])
        expect(argumentsOf("AgentJoined")).toEqual([{ name: from, ticketID }])
        for (const peer of [rep, bystander, visitor]) {
          expect((yield* allTold(peer)).filter(({ event }) => event === "Typing")).toEqual([])
        }
        now += 1000
        yield* visitor.invoke("Typing", ticketID)
        expect(yield* nextTold(rep, "Typing")).toEqual({ from: "Chat visitor", ticketID })
        expect((yield* allTold(rep)).filter(({ event }) => event === "Typing")).toEqual([])
        yield* rep.invoke("LeaveTicket", ticketID)
        expect((yield* Effect.flip(rep.invoke("Typing", ticketID))).message).toBe("Join the ticket first.")
      })
    )
  }
)
