import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { DocumentID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { messagesOf, settledAnswer } from "../ticketMessages/MessageTools.ts"
import {
  actionsOf,
  fire,
  freshHook,
  nothingLeft,
  onHook,
  readTicket,
  settledMessage,
  unmap
} from "./AutomationTools.ts"

const quietMessage = (ticketID?: TicketID) =>
  settledMessage({ message: "Zzz", ...(ticketID !== undefined && { ticketID }) })

const newDocument = Effect.flatMap(clientOf("acme-admin"), ({ documents }) =>
  documents.createDocument({ payload: { name: "Note", content: "We are on it", isDataRetrievalProcess: false } })
)

const sending = (documentID: DocumentID) => ({ operation: "SendDocument", parameters: { documentID } }) as const

const waiting = { operation: "Wait", parameters: { seconds: 600 } } as const

const deleteMessage = (id: TicketMessageID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessages }) => ticketMessages.deleteTicketMessage({ path: { id } }))

const answersIn = (ticketID: TicketID) =>
  Effect.map(messagesOf(ticketID), (items) => items.filter(({ senderType }) => senderType === "CustomerRep"))

/** Waits until the actions of this hook have reached a Wait. */
const cameToWait = (hookName: string) =>
  eventually(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        select 1 from message_action a join job j on j.customer_id = a.customer_id and j.status = 'Queued'
          and j.payload ->> 'hookName' = a.hook_name
        where a.customer_id = 1 and a.hook_name = ${hookName} and a.status = 'Waiting' and a.due_at is not null`
    ),
    (rows) => rows.length > 0
  )

/** Resumes the jobs of a hook at once, and returns how they ended. */
const goneOn = (hookName: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update job set due_at = now()
      where customer_id = 1 and kind = 'RunActions' and payload ->> 'hookName' = ${hookName} and status = 'Queued'`
    const jobs = sql<{ status: string; error: string | null }>`
      select distinct status, error from job
      where customer_id = 1 and kind = 'RunActions' and payload ->> 'hookName' = ${hookName}`
    return yield* eventually(jobs, (rows) =>
      rows.every(({ error, status }) => status === "Succeeded" || error !== null)
    )
  })

layer(testApp(), { excludeTestServices: true })("Deleting a message", (it) => {
  it.effect("ends its waiting actions without repeating any", () =>
    Effect.gen(function* () {
      const { documentID } = yield* newDocument
      const { messageID, ticketID } = yield* quietMessage()
      const hookName = freshHook()
      yield* onHook(hookName, sending(documentID), waiting, sending(documentID))
      yield* fire(hookName, messageID)
      yield* cameToWait(hookName)
      yield* settledAnswer(ticketID, "Sent")
      yield* deleteMessage(messageID)
      expect(yield* goneOn(hookName)).toEqual([{ status: "Succeeded", error: null }])
      expect(yield* answersIn(ticketID)).toHaveLength(1)
    })
  )

  it.effect("ends the actions of a ticket event that ran on it, without repeating them on another message", () =>
    Effect.gen(function* () {
      const { documentID } = yield* newDocument
      const { ticketID } = yield* quietMessage()
      const { messageID } = yield* quietMessage(ticketID)
      const rows = yield* onHook("OnTicketClosed", sending(documentID), waiting)
      const { tickets } = yield* clientOf("acme-admin")
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Closed" } })
      yield* cameToWait("OnTicketClosed")
      yield* deleteMessage(messageID)
      expect(yield* goneOn("OnTicketClosed")).toEqual([{ status: "Succeeded", error: null }])
      expect(yield* answersIn(ticketID)).toHaveLength(1)
      yield* unmap(rows)
    })
  )

  it.effect("keeps the actions of messages that were sent because of it", () =>
    Effect.gen(function* () {
      const { documentID } = yield* newDocument
      const { messageID, ticketID } = yield* quietMessage()
      const rows = yield* onHook(
        "OnMessageSent",
        { operation: "SetStatus", parameters: { status: "Pending" } },
        waiting
      )
      const hookName = freshHook()
      yield* onHook(hookName, sending(documentID))
      yield* fire(hookName, messageID)
      yield* cameToWait("OnMessageSent")
      const [answer] = yield* answersIn(ticketID)
      yield* deleteMessage(messageID)
      expect(yield* actionsOf((yield* Effect.fromNullable(answer)).messageID)).toMatchObject([
        { operation: "SetStatus", status: "Done" },
        { operation: "Wait", status: "Waiting" }
      ])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update message_action set due_at = now() where customer_id = 1 and hook_name = 'OnMessageSent'`
      expect(yield* goneOn("OnMessageSent")).toEqual([{ status: "Succeeded", error: null }])
      yield* unmap(rows)
    })
  )

  it.effect("does not let an action run twice in a chain", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { topicActions } = yield* clientOf("acme-admin")
      const { documentID } = yield* newDocument
      const { messageID, ticketID } = yield* quietMessage()
      const hookName = freshHook()
      const [sent] = yield* onHook(hookName, sending(documentID))
      const closing = yield* onHook("OnMessageSent", waiting, { operation: "CloseTicket" })
      const again = yield* topicActions.createTopicAction({
        payload: {
          hookName: "OnTicketClosed",
          actionID: yield* Effect.fromNullable(sent?.actionID),
          priority: 1,
          isActive: true
        }
      })
      yield* fire(hookName, messageID)
      yield* cameToWait("OnMessageSent")
      yield* deleteMessage(messageID)
      yield* sql`update message_action set due_at = now() where customer_id = 1 and hook_name = 'OnMessageSent'`
      yield* goneOn("OnMessageSent")
      yield* nothingLeft
      expect((yield* readTicket(ticketID)).status).toBe("Closed")
      expect(yield* answersIn(ticketID)).toHaveLength(1)
      yield* unmap([...closing, again])
    })
  )

  it.effect("skips the actions of a hook that was fired on it and has not begun", () =>
    Effect.gen(function* () {
      const { messageID, ticketID } = yield* quietMessage()
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "CloseTicket" })
      const sql = yield* SqlClient.SqlClient
      yield* deleteMessage(messageID)
      // As if the hook had been fired just before the deletion.
      const request = { reason: "fired before", hookName, ticketID, ticketMessageID: messageID, parentRunID: null }
      yield* sql`
        insert into job (customer_id, kind, payload) values (1, 'RunActions', ${JSON.stringify(request)}::jsonb)`
      expect(yield* goneOn(hookName)).toEqual([{ status: "Succeeded", error: null }])
    })
  )

  it.effect("does not keep an action's answer from being delivered", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mailer = yield* TestMailer
      const { documentID } = yield* newDocument
      const { messageID, ticketID } = yield* quietMessage()
      const hookName = freshHook()
      yield* onHook(hookName, sending(documentID))
      yield* fire(hookName, messageID)
      const { messageID: answerID } = yield* settledAnswer(ticketID, "Sent")
      yield* nothingLeft
      yield* Effect.replicateEffect(mailer.next, yield* mailer.count)
      yield* deleteMessage(messageID)
      // As if the first attempt had failed, and this were the next one.
      yield* sql`
        update ticket_message set status = 'Failed' where customer_id = 1 and ticket_message_id = ${answerID}`
      yield* sql`
        update job set status = 'Queued', attempts = 1, due_at = now()
        where customer_id = 1 and kind = 'DeliverMessage' and payload ->> 'ticketMessageID' = ${String(answerID)}`
      yield* settledAnswer(ticketID, "Sent")
      expect(yield* mailer.count).toBe(1)
    })
  )
})
