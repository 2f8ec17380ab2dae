import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { eventually } from "../support/Eventually.ts"
import { client, clientOf, login } from "../support/TestApp.ts"
import { messagesOf, newMessage, readMessage } from "../ticketMessages/MessageTools.ts"
import { erased, exported, rightsApp, waitingErasure, workIsDone } from "./RightsTools.ts"

const mailbox = Effect.gen(function* () {
  const { channels } = yield* clientOf("acme-admin")
  const channel = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Email")
  return yield* Option.fromNullable(channel?.emailAddress)
})

const endUserOf = ({ ticketID }: Effect.Effect.Success<ReturnType<typeof newMessage>>) =>
  Effect.gen(function* () {
    const { tickets } = yield* clientOf("acme-admin")
    return yield* Option.fromNullable((yield* tickets.getTicket({ path: { id: ticketID } })).endUserID)
  })

layer(rightsApp, { excludeTestServices: true })("A person other than the erased one", (it) => {
  it.effect("keeps everything, whatever the erased one calls itself", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const toAddress = yield* mailbox
      const bystander = yield* newMessage({
        fromAddress: "Anna Smith <anna.smith@people.example>",
        toAddress,
        subject: "A leak",
        message: "It leaks again"
      })
      const asMailbox = yield* newMessage({ fromAddress: "evil@people.example", fromName: toAddress })
      const fromMailbox = yield* newMessage({ fromAddress: toAddress, toAddress })
      const asNothing = yield* newMessage({ fromAddress: "", uid: "null" })
      const asField = yield* newMessage({ fromAddress: "field@people.example", fromName: "ticketMessageID" })
      const { EndUserID: namesake } = yield* endUsers.createEndUser({ payload: { FirstName: "Anna", LastName: "" } })
      const { EndUserID: agent } = yield* endUsers.createEndUser({
        payload: { FirstName: "True", LastName: "", UIDs: [{ UID: "true" }, { UID: "anna" }] }
      })
      yield* workIsDone
      const [job] = yield* sql<{ id: string }>`
        insert into job (customer_id, kind, payload, due_at)
        values (1, 'DeliverMessage', '{"ticketMessageID": 2147483646, "automationRunID": null, "opens": true}'::jsonb,
          now() + interval '1 day') returning job_id as id`
      const jobID = yield* Option.fromNullable(job?.id)
      const senders = yield* Effect.forEach([asMailbox, fromMailbox, asNothing, asField], endUserOf)
      for (const id of [...senders, namesake, agent]) expect((yield* erased(id)).Status).toBe("Succeeded")

      expect(yield* readMessage(bystander.messageID)).toMatchObject({
        message: "It leaks again",
        fromAddress: "Anna Smith <anna.smith@people.example>",
        toAddress
      })
      expect((yield* tickets.getTicket({ path: { id: bystander.ticketID } })).subject).toBe("A leak")
      expect(yield* sql`delete from job where customer_id = 1 and job_id = ${jobID}::uuid returning 1`).toHaveLength(1)
      for (const { ticketID } of [asMailbox, fromMailbox, asNothing, asField]) {
        expect((yield* messagesOf(ticketID)).map(({ message }) => message)).toEqual([null])
      }
    })
  )

  it.effect(
    "does not protect the erased one by using its address as a name, and keeps only the text of a mail to both",
    () =>
      Effect.gen(function* () {
        const nadia = "nadia@people.example"
        const person = yield* endUserOf(yield* newMessage({ fromAddress: nadia }))
        yield* newMessage({ fromAddress: "other@people.example", fromName: nadia })
        const { messageID, ticketID } = yield* newMessage({
          fromAddress: "olga@people.example",
          toAddress: `${yield* mailbox}, Nadia <${nadia}>`,
          message: "We both ask"
        })
        const inOlgas = yield* newMessage({ ticketID, fromAddress: nadia, message: "I ask, too" })
        yield* workIsDone
        yield* erased(person)
        expect(yield* readMessage(inOlgas.messageID)).toMatchObject({ message: null, fromAddress: null })
        expect(yield* readMessage(messageID)).toMatchObject({ message: "We both ask", toAddress: null })
      })
  )
})

layer(rightsApp, { excludeTestServices: true })("An end user", (it) => {
  it.effect("cannot be deleted while its erasure is waiting", () =>
    Effect.gen(function* () {
      const { dataRights, endUsers } = yield* clientOf("acme-admin")
      const written = yield* newMessage({ fromAddress: "hasty@people.example", message: "Forget me" })
      yield* workIsDone
      const id = yield* endUserOf(written)
      yield* waitingErasure(id)
      expect(yield* Effect.flip(endUsers.deleteEndUser({ path: { id } }))).toMatchObject({ _tag: "Conflict" })
      expect((yield* endUsers.getEndUser({ path: { id } })).EndUserID).toBe(id)
      expect((yield* erased(id)).Counts).toMatchObject({ EndUsers: 1, Messages: 1 })
      expect((yield* readMessage(written.messageID)).message).toBeNull()
      expect((yield* dataRights.getErasure({ path: { id } })).Status).toBe("Succeeded")
    })
  )

  it.effect("is erased with the tickets it began, even if it was deleted and created again", () =>
    Effect.gen(function* () {
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const fromAddress = "deleted@people.example"
      const { ticketID } = yield* newMessage({ fromAddress, message: "Mine" })
      const note = yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent", message: "About it" })
      const first = yield* tickets.getTicket({ path: { id: ticketID } })
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { customFieldsData: { flat: "4a" } } })
      yield* endUsers.deleteEndUser({ path: { id: yield* Option.fromNullable(first.endUserID) } })
      const again = yield* endUsers.createEndUser({ payload: { FirstName: "De", LastName: "L", Email: fromAddress } })
      yield* workIsDone
      yield* erased(again.EndUserID)
      const left = yield* tickets.getTicket({ path: { id: ticketID } })
      expect(left).toMatchObject({ subject: null, customFieldsData: {} })
      expect(left.ticketToken).not.toBe(first.ticketToken)
      expect((yield* readMessage(note.messageID)).message).toBeNull()
    })
  )

  it.effect("leaves no message in Processing when it is erased during the processing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const written = yield* newMessage({ fromAddress: "busy@people.example" })
      yield* workIsDone
      yield* sql`
        update ticket_message set status = 'Processing'
        where customer_id = 1 and ticket_message_id = ${written.messageID}`
      yield* erased(yield* endUserOf(written))
      expect((yield* readMessage(written.messageID)).status).toBe("Received")
    })
  )

  it.effect("has an audit entry for every Admin who gets its export", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { endUsers, representatives } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "Two", LastName: "Ask" } })
      const { AccessToken } = yield* exported(id)
      const username = "acme-second"
      yield* representatives.createCustomerRep({ payload: { username, password: "Demo-Pass-1", role: "Admin" } })
      const { dataRights } = yield* client(yield* login(username))
      expect((yield* dataRights.exportEndUser({ path: { id } })).AccessToken).toBe(AccessToken)
      const audits = yield* eventually(
        sql`
          select r.username from audit_log a join customer_rep r using (customer_id, customer_rep_id)
          where a.customer_id = 1 and a.event = 'EndUserExported' and a.about_end_user = ${id} order by audit_log_id`,
        ({ length }) => length === 2
      )
      expect(audits).toEqual([{ username: "acme-admin" }, { username }])
    })
  )

  it.effect("is erased with its WhatsApp messages, however its number was stored", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const create = (UID: string) =>
        endUsers.createEndUser({ payload: { FirstName: "Nils", LastName: "", UIDs: [{ UID, UIDType: "Phone" }] } })
      const { ticketID } = yield* newMessage({ fromAddress: "petra@people.example" })
      const inPetras = (uid: string) => newMessage({ ticketID, fromAddress: "", uid, message: "I ask, too" })
      for (const [noted, written] of [
        ["+15550811", "whatsapp:+15550811"],
        ["whatsapp:+15550812", "+15550812"]
      ] as const) {
        const { EndUserID: id } = yield* create(noted)
        const { messageID } = yield* inPetras(written)
        yield* workIsDone
        yield* erased(id)
        expect(yield* readMessage(messageID)).toMatchObject({ message: null, uid: null })
      }
    })
  )
})
