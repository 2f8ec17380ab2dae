import { createHash } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { EndUserID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { fieldsOf, textIn } from "../support/Fields.ts"
import { clientOf, send, sendJson, tokenOf } from "../support/TestApp.ts"
import { newMessage, readMessage } from "../ticketMessages/MessageTools.ts"
import { erased, exported, leaveTraces, rightsApp, rowsWith, workIsDone } from "./RightsTools.ts"

const write = (fields: Parameters<typeof newMessage>[0]) => Effect.tap(newMessage(fields), () => workIsDone)

/** A message whose topics a person corrects: from then on it is an example for other messages. */
const writeCorrected = (fields: Parameters<typeof newMessage>[0]) =>
  Effect.gen(function* () {
    const { ticketMessages, topics } = yield* clientOf("acme-admin")
    const written = yield* write(fields)
    const [topic] = (yield* topics.listTopics({ urlParams: {} })).items
    const topicIds = topic === undefined ? [] : [topic.topicID]
    yield* ticketMessages.correctTopics({ path: { id: written.messageID }, payload: { topicIds } })
    return written
  })

layer(rightsApp, { excludeTestServices: true })("Erasing an end user", (it) => {
  it.effect("empties its tickets, and leaves none of its words anywhere", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tickets, ticketMessages } = yield* clientOf("acme-admin")
      const { endUserID, messageID, ticketID } = yield* leaveTraces("zebrafish")
      const other = yield* leaveTraces("notzebrafish")
      const before = yield* rowsWith("notzebrafish")
      const { AccessToken } = yield* exported(endUserID)
      const places = Object.keys(yield* rowsWith("zebrafish"))
      // There are traces in every place that can have some, so that the erasure has something to do everywhere.
      expect(places).toEqual(
        expect.arrayContaining([
          "ai_run",
          "blob_chunk",
          "channel_folder",
          "draft_call",
          "end_user",
          "end_user_uid",
          "idempotency",
          "job",
          "mail_message",
          "ticket",
          "ticket_message",
          "ticket_message_attachment"
        ])
      )
      const token = (yield* tickets.getTicket({ path: { id: ticketID } })).ticketToken

      const { dataRights } = yield* clientOf("acme-admin")
      const asked = yield* Effect.all(
        Array.from({ length: 5 }, () => dataRights.eraseEndUser({ path: { id: endUserID } })),
        { concurrency: "unbounded" }
      )
      expect(new Set(asked.map(({ ReceiptID }) => ReceiptID)).size).toBe(1)
      // Work that was under way for the person writes its results afterwards.
      yield* eventually(
        sql`select 1 from data_request where customer_id = 1 and about_end_user = ${endUserID} and erased_at is not null`,
        (rows) => rows.length === 1
      )
      expect((yield* dataRights.getErasure({ path: { id: endUserID } })).Status).toBe("Running")
      yield* sql`
          insert into ai_run (customer_id, ticket_message_id, purpose, slot, prompt_version, system_prompt, user_prompt,
            duration_ms, outcome, output)
          values (1, ${messageID}, 'Draft', 'EmailText', 'draft-1', '', 'zebrafish', 1, 'Succeeded', 'zebrafish')`
      yield* sql`update ticket set history_summary = 'zebrafish' where customer_id = 1 and ticket_id = ${ticketID}`

      const receipt = yield* erased(endUserID)
      expect(yield* rowsWith("zebrafish")).toEqual({})
      expect(yield* rowsWith("notzebrafish")).toEqual(before)
      expect(receipt).toMatchObject({ Status: "Succeeded", EndUserID: endUserID })
      expect(receipt.Counts).toMatchObject({
        EndUsers: 1,
        Tickets: 1,
        Messages: 2,
        // The file was sent with the answer, too.
        Attachments: 2,
        SetAsideMails: 1,
        DraftCalls: 1,
        OutboxMails: 1,
        Exports: 1,
        Mails: 1,
        FolderErrors: 1
      })
      expect(receipt.Counts["AiRuns"]).toBeGreaterThan(3)
      expect(receipt.Counts["Jobs"]).toBeGreaterThan(0)

      const ticket = yield* tickets.getTicket({ path: { id: ticketID } })
      expect(ticket).toMatchObject({ subject: null, endUserID: null, customFieldsData: {} })
      expect(ticket.ticketToken).not.toBe(token)
      const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID } })
      expect(items.map(({ fromAddress, htmlBody, message }) => [message, htmlBody, fromAddress])).toEqual([
        [null, null, null],
        [null, null, null]
      ])
      expect((yield* tickets.getTicket({ path: { id: other.ticketID } })).subject).toBe("notzebrafish subject")
      expect((yield* send("GET", `/api/File/${AccessToken}`)).status).toBe(404)
      expect(
        (yield* sendJson("GET", `/api/EndUsers/${endUserID}`, { token: yield* tokenOf("acme-admin") })).status
      ).toBe(404)
      const audits = yield* sql`
        select event, about_end_user as "endUserID" from audit_log
        where customer_id = 1 and event like 'EndUser%' order by audit_log_id`
      expect(audits).toEqual([
        { event: "EndUserExported", endUserID },
        { event: "EndUserErased", endUserID }
      ])
    })
  )

  it.effect("leaves none of its words in AI runs about other people's messages", () =>
    Effect.gen(function* () {
      const { endUsers, ticketMessages, ticketSummaries, tickets } = yield* clientOf("acme-admin")
      const address = "Quentin Quagga <quagga@people.example>"
      const { EndUserID: id } = yield* endUsers.createEndUser({
        payload: { FirstName: "Quentin", LastName: "Quagga", UIDs: [{ UID: "quagga@people.example" }] }
      })
      yield* writeCorrected({ fromAddress: "quagga@people.example", message: "quagga lost the key" })
      const about = yield* write({ fromAddress: "olga@people.example", message: "When does the shop open?" })
      const { ticketID } = about
      yield* write({ ticketID, fromAddress: address, message: "quagga says it opens at nine" })
      const next = yield* write({ ticketID, fromAddress: "olga@people.example", message: "Thank you, and on Sunday?" })
      yield* ticketSummaries.getHistorySummary({ path: { id: ticketID } })
      const stray = yield* write({ fromAddress: address, message: "quagga wrote from elsewhere" })
      yield* tickets.updateTicket({ path: { id: stray.ticketID }, payload: { endUserID: null } })
      const sql = yield* SqlClient.SqlClient
      const quoting = yield* sql<{ purpose: string }>`
          select distinct r.purpose from ai_run r join ticket_message m
            on m.customer_id = r.customer_id and m.ticket_message_id = r.ticket_message_id
          where r.customer_id = 1 and m.from_address = 'olga@people.example' and r.user_prompt ~ 'quagga' order by 1`
      expect(quoting.map(({ purpose }) => purpose)).toEqual(["Draft", "Summary", "Topics"])
      // A person may have edited the model's draft like this.
      yield* ticketMessages.updateTicketMessage({
        path: { id: next.messageID },
        payload: { aiReply: "quagga said at nine" }
      })

      yield* erased(id)
      // The model may write the next draft again.
      const drafts = yield* sql`
        select ai_reply, is_persons_draft from ticket_message
        where customer_id = 1 and ticket_message_id = ${next.messageID}`
      expect(drafts).toEqual([{ ai_reply: null, is_persons_draft: false }])
      expect(yield* rowsWith("quagga")).toEqual({})
      const own = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID } })
      expect(own.items.map(({ message }) => message)).toEqual([
        "When does the shop open?",
        null,
        "Thank you, and on Sunday?"
      ])
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).subject).toBe("When does the shop open?")
    })
  )

  it.effect("leaves no words of messages that were deleted before it", () =>
    Effect.gen(function* () {
      const { endUsers, ticketMessages, ticketSummaries, tickets } = yield* clientOf("acme-admin")
      const sql = yield* SqlClient.SqlClient
      const { EndUserID: id } = yield* endUsers.createEndUser({
        payload: { FirstName: "Orla", LastName: "Okapi", UIDs: [{ UID: "okapi@people.example" }] }
      })
      const corrected = yield* writeCorrected({ fromAddress: "okapi@people.example", message: "okapi lost the key" })
      const { ticketID } = yield* write({ fromAddress: "olga@people.example", message: "When does the zoo open?" })
      const inAnothers = yield* write({ ticketID, fromAddress: "okapi@people.example", message: "okapi says at nine" })
      yield* write({ ticketID, fromAddress: "olga@people.example", message: "Thank you, and on Monday?" })
      yield* ticketSummaries.getHistorySummary({ path: { id: ticketID } })
      yield* sql`
        update ticket set history_summary = 'okapi knew it' where customer_id = 1 and ticket_id = ${ticketID}`
      expect(Object.keys(yield* rowsWith("okapi"))).toEqual(expect.arrayContaining(["ai_run", "ticket"]))

      yield* tickets.deleteTicket({ path: { id: corrected.ticketID } })
      yield* ticketMessages.deleteTicketMessage({ path: { id: inAnothers.messageID } })
      yield* erased(id)
      expect(yield* rowsWith("okapi")).toEqual({})
    })
  )

  it.effect("happens once, with a receipt that stays and can be checked", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "Only", LastName: "Once" } })
      const token = yield* tokenOf("acme-admin")
      const first = yield* erased(id)
      const { json } = yield* sendJson("POST", `/api/EndUsers/${id}/erase`, { token })
      expect(textIn(json, "ReceiptID")).toBe(first.ReceiptID)
      const { Hash: hash, ...receipt } = fieldsOf(json)
      expect(createHash("sha256").update(JSON.stringify(receipt)).digest("hex")).toBe(hash)
      expect(JSON.stringify(json)).not.toMatch(/Only|Once/)
      expect((yield* sendJson("GET", `/api/EndUsers/${id}/export`, { token })).status).toBe(404)
    })
  )

  it.effect("is only for an Admin of the same customer", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "Not", LastName: "Yours" } })
      const routes = [
        ["POST", "erase"],
        ["GET", "erase"],
        ["GET", "export"]
      ] as const
      for (const [method, name] of routes) {
        const ask = (username: string) =>
          Effect.flatMap(tokenOf(username), (token) => sendJson(method, `/api/EndUsers/${id}/${name}`, { token }))
        expect((yield* ask("acme-agent")).status).toBe(403)
        expect((yield* ask("globex-admin")).status).toBe(404)
      }
      expect((yield* endUsers.getEndUser({ path: { id } })).FirstName).toBe("Not")
      const unknown = EndUserID.make(2_147_483_646)
      const { dataRights } = yield* clientOf("acme-admin")
      expect(yield* Effect.flip(dataRights.eraseEndUser({ path: { id: unknown } }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("spares messages from an address that somebody else shares, except in its own tickets", () =>
    Effect.gen(function* () {
      const { endUsers, ticketMessages, ticketMessagesOnPhone, tickets } = yield* clientOf("acme-admin")
      const UIDs = [{ UID: "family@people.example" }]
      const child = yield* endUsers.createEndUser({ payload: { FirstName: "Kid", LastName: "Family", UIDs } })
      const parent = yield* endUsers.createEndUser({ payload: { FirstName: "Pat", LastName: "Family", UIDs } })
      const { channels } = yield* clientOf("acme-admin")
      const channel = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Email")
      const channelID = yield* Effect.fromNullable(channel?.channelID)
      const write = (endUserID: EndUserID, message: string) =>
        Effect.gen(function* () {
          const { ticketID } = yield* tickets.createTicket({ payload: { channelID, endUserID, subject: message } })
          const payload = { ticketID, message, fromAddress: "family@people.example" }
          return yield* ticketMessagesOnPhone.createTicketMessage({ payload })
        })
      const own = yield* write(child.EndUserID, "from the child")
      const others = yield* write(parent.EndUserID, "from the parent")
      yield* erased(child.EndUserID)
      const textsIn = ({ ticketID }: typeof own) =>
        Effect.map(ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID } }), ({ items }) =>
          items.map(({ message }) => message)
        )
      expect(yield* textsIn(own)).toEqual([null])
      expect(yield* textsIn(others)).toEqual(["from the parent"])
    })
  )

  it.effect("spares messages from a number that somebody else has, also in the phone provider's spelling", () =>
    Effect.gen(function* () {
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const UIDs = [{ UID: "+15550914", UIDType: "Phone" }]
      const parent = yield* endUsers.createEndUser({ payload: { FirstName: "Pat", LastName: "Family", UIDs } })
      const child = yield* endUsers.createEndUser({ payload: { FirstName: "Kid", LastName: "Family", UIDs } })
      const { messageID, ticketID } = yield* newMessage({ fromAddress: "", uid: "whatsapp:+15550914", message: "Mine" })
      expect((yield* tickets.getTicket({ path: { id: ticketID } })).endUserID).toBe(parent.EndUserID)
      yield* workIsDone
      yield* erased(child.EndUserID)
      expect(yield* readMessage(messageID)).toMatchObject({ message: "Mine", uid: "whatsapp:+15550914" })
    })
  )
})
