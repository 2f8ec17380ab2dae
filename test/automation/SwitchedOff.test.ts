import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { newTopic } from "../topics/Mappings.ts"
import {
  actionsOf,
  endWait,
  fire,
  freshHook,
  nothingLeft,
  onHook,
  onTopic,
  readTicket,
  settledMessage
} from "./AutomationTools.ts"

const waitBegan = (id: TicketMessageID) =>
  eventually(
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`
        select 1 from message_action
        where customer_id = 1 and ticket_message_id = ${id} and status = 'Waiting' and due_at is not null`
    ),
    (rows) => rows.length === 1
  )

layer(testApp(), { excludeTestServices: true })("Deleting or switching off while a chain waits", (it) => {
  it.effect("keeps the mappings and actions of a hook from running", () =>
    Effect.gen(function* () {
      const { actions, topicActions } = yield* clientOf("acme-admin")
      const { messageID, ticketID } = yield* settledMessage({ message: "Zzz" })
      const hookName = freshHook()
      const field = (key: string) => ({ operation: "SetCustomField", parameters: { key, value: "yes" } }) as const
      const [, unmapped, deleted, off, kept] = yield* onHook(
        hookName,
        { operation: "Wait", parameters: { seconds: 3600 } },
        field("unmapped"),
        field("deleted"),
        field("off"),
        field("kept")
      )
      if (unmapped === undefined || deleted === undefined || off === undefined || kept === undefined) {
        return yield* Effect.dieMessage("not all were mapped")
      }
      yield* fire(hookName, messageID)
      yield* waitBegan(messageID)
      yield* topicActions.deleteTopicAction({ path: { id: unmapped.topicActionID } })
      yield* actions.deleteAction({ path: { id: deleted.actionID } })
      yield* actions.updateAction({
        path: { id: off.actionID },
        payload: { actionID: off.actionID, name: off.name, priority: 1, isActive: false }
      })
      yield* endWait(messageID)
      yield* nothingLeft
      const ran = (yield* actionsOf(messageID)).filter((one) => one.hookName === hookName)
      expect(ran.map(({ error, status }) => [status, error])).toEqual([
        ["Done", null],
        ["Skipped", "The mapping was deleted."],
        ["Skipped", "The action was deleted."],
        ["Skipped", "The action is not active."],
        ["Done", null]
      ])
      expect((yield* readTicket(ticketID)).customFieldsData).toEqual({ kept: "yes" })
    })
  )

  it.effect("keeps the actions of a topic from running", () =>
    Effect.gen(function* () {
      const { ticketMessagesOnPhone, topics } = yield* clientOf("acme-admin")
      const { messageID, ticketID } = yield* settledMessage({ message: "The vuvuzela is silent" })
      yield* nothingLeft
      const { topicID } = yield* newTopic("acme-admin", "Vuvuzela silent")
      yield* onTopic(topicID, { operation: "Wait", parameters: { seconds: 3600 } }, { operation: "CloseTicket" })
      yield* ticketMessagesOnPhone.detectTopics({ path: { id: messageID }, urlParams: { executeActions: true } })
      yield* waitBegan(messageID)
      yield* topics.deleteTopic({ path: { id: topicID } })
      yield* endWait(messageID)
      yield* nothingLeft
      expect((yield* actionsOf(messageID)).map(({ error, operation, status }) => [operation, status, error])).toEqual([
        ["Wait", "Skipped", "The topic was deleted."],
        ["CloseTicket", "Skipped", "The topic was deleted."]
      ])
      expect((yield* readTicket(ticketID)).isClosed).toBe(false)
    })
  )

  it.effect("lets an action run that another topic of the message has, too", () =>
    Effect.gen(function* () {
      const { ticketMessagesOnPhone, topicActions, topics } = yield* clientOf("acme-admin")
      const { messageID, ticketID } = yield* settledMessage({ message: "The sousaphone is dented" })
      yield* nothingLeft
      const { topicID } = yield* newTopic("acme-admin", "Sousaphone dented")
      const other = yield* newTopic("acme-admin", "Dented sousaphone")
      const wait = { operation: "Wait", parameters: { seconds: 3600 } } as const
      const mapped = yield* onTopic(topicID, wait, { operation: "CloseTicket" })
      for (const { actionID } of mapped.slice(1)) {
        yield* topicActions.createTopicAction({
          payload: { topicID: other.topicID, actionID, priority: 9, isActive: true }
        })
      }
      yield* ticketMessagesOnPhone.detectTopics({ path: { id: messageID }, urlParams: { executeActions: true } })
      yield* waitBegan(messageID)
      yield* topics.deleteTopic({ path: { id: topicID } })
      yield* endWait(messageID)
      yield* nothingLeft
      expect((yield* readTicket(ticketID)).isClosed).toBe(true)
    })
  )
})
