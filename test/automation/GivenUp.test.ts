import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type TicketMessageID, TopicID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { messageEvents, messagesOf, newMessage, readMessage } from "../ticketMessages/MessageTools.ts"
import {
  actionsOf,
  fire,
  freshHook,
  nothingLeft,
  onHook,
  onTopic,
  settledMessage,
  stepsOf,
  traceOf,
  unmap
} from "./AutomationTools.ts"

/** Inserts a job whose tenth and last node has just died. */
const lastNodeDied = (kind: string, payload: object) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      insert into job (customer_id, kind, payload, status, attempts)
      values (1, ${kind}, ${JSON.stringify(payload)}::jsonb, 'Running', 10)`
  )

/** Resets a message to before its draft, as it is while a node processes it. */
const beforeDraft = (id: TicketMessageID) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      update ticket_message set status = 'Processing', ai_reply = null
      where customer_id = 1 and ticket_message_id = ${id}`
    yield* sql`
      delete from pipeline_step
      where customer_id = 1 and ticket_message_id = ${id} and step in ('Draft', 'OnDraftReady')`
  })

const retry = (id: TicketMessageID) =>
  Effect.flatMap(clientOf("acme-agent"), ({ automation }) => automation.retryMessage({ path: { id } }))

const pipelinesOf = (id: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ status: string; isDue: boolean }>`
      select status, due_at <= now() as "isDue" from job
      where customer_id = 1 and kind = 'RunPipeline' and status in ('Queued', 'Running')
        and payload ->> 'ticketMessageID' = ${String(id)}`
  )

layer(testApp(), { excludeTestServices: true })("Work that is given up", (it) => {
  it.effect("leaves its message as Failed with a trace entry, and is done again on request", () =>
    Effect.gen(function* () {
      const { messageID } = yield* settledMessage({ message: "I lost my key" })
      yield* nothingLeft
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({ status: 409 })
      yield* beforeDraft(messageID)
      yield* lastNodeDied("RunPipeline", { ticketMessageID: messageID, opensTicket: true })
      yield* eventually(readMessage(messageID), ({ status }) => status === "Failed")
      const given = (yield* traceOf(messageID)).find(({ what }) => what === "Given up")
      expect(given).toMatchObject({ type: "Step", outcome: expect.stringContaining("Failed: ") })
      expect((yield* messageEvents(messageID)).at(-1)).toBe("MessageChanged")

      yield* eventually(pipelinesOf(messageID), ({ length }) => length === 0)
      yield* retry(messageID)
      const message = yield* eventually(readMessage(messageID), ({ status }) => status === "Drafted")
      expect(message.aiReply).toContain("[sandbox]")
      yield* nothingLeft
      const steps = (yield* stepsOf(messageID)).map(([what]) => what)
      expect(steps).toHaveLength(12)
      expect(steps).not.toContain("Given up")
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({ status: 409 })
    })
  )

  it.effect("is followed on retry by the steps that were skipped because of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const setting = (value: string) => ({ operation: "SetCustomField", parameters: { key: value, value } }) as const
      const { messageID, ticketID } = yield* settledMessage({ message: "I lost my key" })
      yield* nothingLeft
      const [topic] = yield* sql<{ id: number }>`
        select topic_id as id from ticket_message_topic where customer_id = 1 and ticket_message_id = ${messageID}`
      yield* sql`delete from automation_run where customer_id = 1 and reason = ${`message ${messageID} topics`}`
      // The state after the model was away for topics and draft, with actions already mapped.
      yield* beforeDraft(messageID)
      yield* sql`update ticket_message set status = 'Failed' where customer_id = 1 and ticket_message_id = ${messageID}`
      yield* sql`delete from ticket_message_topic where customer_id = 1 and ticket_message_id = ${messageID}`
      yield* sql`delete from pipeline_step where customer_id = 1 and ticket_message_id = ${messageID} and step like '%opic%'`
      for (const [step, kind, outcome] of [
        ["Topics", "Failed", "Failed: away"],
        ["OnTopicsDetected", "NotNeeded", "Not for this message"],
        ["Topic actions", "NotNeeded", "No topics"],
        ["Draft", "Failed", "Failed: away"],
        ["OnDraftReady", "NotNeeded", "Not for this message"]
      ]) {
        yield* sql`
          insert into pipeline_step (customer_id, ticket_message_id, step, kind, outcome)
          values (1, ${messageID}, ${step}, ${kind}, ${outcome})`
      }
      const rows = [
        ...(yield* onHook("OnTopicsDetected", setting("detected"))),
        ...(yield* onHook("OnDraftReady", setting("ready")))
      ]
      // Actions that a person has started meanwhile are not run again.
      const { documents, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const { documentID } = yield* documents.createDocument({
        payload: { name: "Note", content: "We are on it", isDataRetrievalProcess: false }
      })
      yield* onTopic(TopicID.make((yield* Effect.fromNullable(topic)).id), {
        operation: "SendDocument",
        parameters: { documentID }
      })
      yield* ticketMessagesOnPhone.detectTopics({ path: { id: messageID }, urlParams: { executeActions: true } })
      yield* nothingLeft
      yield* retry(messageID)
      yield* eventually(readMessage(messageID), ({ aiReply }) => aiReply !== null)
      yield* nothingLeft
      expect((yield* messagesOf(ticketID)).filter(({ senderType }) => senderType === "CustomerRep")).toHaveLength(1)
      expect((yield* actionsOf(messageID)).filter(({ operation }) => operation === "SetCustomField")).toMatchObject([
        { hookName: "OnTopicsDetected", status: "Done" },
        { hookName: "OnDraftReady", status: "Done" }
      ])
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({ status: 409 })
      yield* unmap(rows)
    })
  )

  it.effect("is retried by the pipeline run that still waits, never by a second run beside it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* onHook("OnTopicsDetected", { operation: "Wait", parameters: { seconds: 3600 } })
      const { messageID } = yield* newMessage({ message: "I lost my key" })
      yield* eventually(pipelinesOf(messageID), ([job]) => job?.status === "Queued" && !job.isDue)
      const first = yield* Effect.fromNullable((yield* stepsOf(messageID))[0])
      yield* sql`
        update pipeline_step set kind = 'Failed', outcome = 'Failed: by hand'
        where customer_id = 1 and ticket_message_id = ${messageID} and step = ${first[0]}`
      yield* retry(messageID)
      // The waiting run repeats the step, and then goes on waiting.
      yield* eventually(stepsOf(messageID), (steps) =>
        steps.some(([what, how]) => what === first[0] && how === first[1])
      )
      const left = yield* eventually(pipelinesOf(messageID), ([job]) => job?.status === "Queued" && !job.isDue)
      expect(left).toHaveLength(1)
      yield* sql`
        update job set status = 'Running' where customer_id = 1 and kind = 'RunPipeline' and status = 'Queued'
          and payload ->> 'ticketMessageID' = ${String(messageID)}`
      yield* sql`
        update pipeline_step set kind = 'Failed', outcome = 'Failed: by hand'
        where customer_id = 1 and ticket_message_id = ${messageID} and step = ${first[0]}`
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({
        status: 409,
        message: expect.stringContaining("being processed")
      })
      yield* sql`
        delete from job where customer_id = 1 and kind = 'RunPipeline'
          and payload ->> 'ticketMessageID' = ${String(messageID)}`
      yield* unmap(rows)
    })
  )

  it.effect("belongs to the run of actions that requested it when it is a delivery", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { documents } = yield* clientOf("acme-admin")
      const { documentID } = yield* documents.createDocument({
        payload: { name: "Note", content: "We are on it", isDataRetrievalProcess: false }
      })
      const { messageID, ticketID } = yield* settledMessage({ message: "I lost my key" })
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "SendDocument", parameters: { documentID } })
      yield* fire(hookName, messageID)
      const sent = yield* eventually(messagesOf(ticketID), (all) => all.some(({ status }) => status === "Sent"))
      yield* nothingLeft
      const { messageID: answer } = yield* Effect.fromNullable(sent.find(({ status }) => status === "Sent"))
      const [delivery] = yield* sql<{ run: string | null }>`
        select payload ->> 'automationRunID' as run from job
        where customer_id = 1 and kind = 'DeliverMessage' and payload ->> 'ticketMessageID' = ${String(answer)}`
      expect(delivery?.run).toMatch(/./)
      yield* sql`
        update ticket_message set status = 'Queued' where customer_id = 1 and ticket_message_id = ${answer}`
      yield* lastNodeDied("DeliverMessage", { ticketMessageID: answer, automationRunID: delivery?.run })
      yield* eventually(readMessage(answer), ({ status }) => status === "Failed")
      const events = yield* sql`
        select automation_run_id::text as run from event
        where customer_id = 1 and kind = 'SendFailed' and ticket_message_id = ${answer}`
      expect(events).toEqual([delivery])
    })
  )

  it.effect("continues on request when its message was wrongly taken for spam", () =>
    Effect.gen(function* () {
      const { tickets } = yield* clientOf("acme-agent")
      const message = "Congratulations! You won the lottery, click here to claim your free prize money: lost key"
      const { messageID, ticketID } = yield* newMessage({ message, subject: "WINNER" })
      yield* eventually(readMessage(messageID), ({ status }) => status === "Spam")
      yield* nothingLeft
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({ status: 409 })
      yield* tickets.updateTicket({ path: { id: ticketID }, payload: { isSpam: false } })
      yield* retry(messageID)
      yield* eventually(readMessage(messageID), ({ aiReply }) => aiReply !== null)
      yield* nothingLeft
      expect((yield* readMessage(messageID)).status).not.toBe("Spam")
      expect(yield* Effect.flip(retry(messageID))).toMatchObject({ status: 409 })
    })
  )

  it.effect("leaves an undelivered answer and its question as Failed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { messageID, ticketID } = yield* settledMessage({ message: "Zzz" })
      const answer = yield* newMessage({ ticketID, senderType: "CustomerRep", message: "Yes" })
      yield* eventually(readMessage(answer.messageID), ({ status }) => status === "Sent")
      yield* nothingLeft
      yield* sql`
        update ticket_message set status = 'Queued', answers_message_id = ${messageID}
        where customer_id = 1 and ticket_message_id = ${answer.messageID}`
      yield* lastNodeDied("DeliverMessage", { ticketMessageID: answer.messageID })
      yield* eventually(readMessage(answer.messageID), ({ status }) => status === "Failed")
      expect((yield* readMessage(messageID)).status).toBe("Failed")
      expect((yield* traceOf(answer.messageID)).map(({ what }) => what)).toContain("SendFailed")
    })
  )

  it.effect("leaves the actions that did not run as Failed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { messageID } = yield* settledMessage({ message: "Zzz" })
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "Wait", parameters: { seconds: 3600 } }, { operation: "CloseTicket" })
      yield* fire(hookName, messageID)
      const results = Effect.map(actionsOf(messageID), (all) => all.filter((one) => one.hookName === hookName))
      yield* eventually(results, ({ length }) => length === 2)
      yield* eventually(
        sql`
          update job set status = 'Running', attempts = 10, due_at = now()
          where customer_id = 1 and kind = 'RunActions' and status = 'Queued' and payload ->> 'hookName' = ${hookName}
          returning job_id`,
        ({ length }) => length === 1
      )
      const ended = yield* eventually(results, (all) => all.every(({ status }) => status === "Failed"))
      expect(ended[1]?.error).toContain("did not come to an end")
    })
  )
})
