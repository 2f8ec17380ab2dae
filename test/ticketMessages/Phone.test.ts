import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TicketMessage } from "../../schema/TicketMessages.ts"
import { eventually } from "../support/Eventually.ts"
import { attemptPhoneLogin, tokenIn } from "../support/Logins.ts"
import { clientOf, sendJson, testApp } from "../support/TestApp.ts"
import { channelOf } from "../tickets/TicketTools.ts"

const decodeMessage = Schema.decodeUnknown(TicketMessage)

/** A phone client, which knows its number and its account, and nothing else. */
const call = Effect.map(attemptPhoneLogin(), (answer) => {
  const token = tokenIn(answer)
  const ask = (method: string, path: string, body?: unknown) =>
    Effect.map(sendJson(method, path, { token, ...(body !== undefined && { body }) }), ({ json, status }) => {
      expect(status).toBe(200)
      return json
    })
  const read = (id: number) => Effect.flatMap(ask("GET", `/ticketMessages/${id}`), decodeMessage)
  return { token, ask, read }
})

layer(testApp(), { excludeTestServices: true })("A phone call", (it) => {
  it.effect("is picked up, becomes a ticket, and gets its answer back", () =>
    Effect.gen(function* () {
      const { actions, hookActions, ticketMessages, tickets } = yield* clientOf("acme-admin")
      const demo = yield* hookActions.listHookActions({ urlParams: { hookName: "OnPhonePickup" } })
      for (const { hookActionID } of demo.items) yield* hookActions.deleteHookAction({ path: { id: hookActionID } })
      const greet = yield* actions.createAction({
        payload: {
          name: "Note the pick-up",
          priority: 1,
          isActive: true,
          operation: "SetCustomField",
          parameters: { key: "pickedUp", value: "yes" }
        }
      })
      const pause = yield* actions.createAction({ payload: { name: "Wait 2 seconds", priority: 1, isActive: true } })
      for (const [priority, { actionID }] of [pause, greet].entries()) {
        yield* hookActions.createHookAction({
          payload: { hookName: "OnPhonePickup", actionID, specialChannel: "Phone", priority }
        })
      }

      const phone = yield* call
      const channelID = yield* channelOf("Phone")
      const waits = yield* phone.ask(
        "GET",
        `/api/hookactions/wait-seconds?hookName=OnPhonePickup&channelId=${channelID}`
      )
      expect(waits).toMatchObject({ hookName: "OnPhonePickup", channelID, totalWaitSeconds: 2 })

      const said = yield* Effect.flatMap(
        phone.ask("POST", "/ticketMessages/create-new", {
          message: "On which days is your office open?",
          uid: "+15557777"
        }),
        decodeMessage
      )
      expect(said).toMatchObject({ channelID, senderType: "EndUser", uid: "+15557777" })
      const drafted = yield* eventually(phone.read(said.messageID), ({ aiReply }) => aiReply !== null)
      expect(drafted.aiReply).toMatch(/^\[sandbox\]/)
      yield* eventually(
        tickets.getTicket({ path: { id: said.ticketID } }),
        ({ customFieldsData }) => customFieldsData["pickedUp"] === "yes"
      )
      yield* eventually(phone.read(said.messageID), ({ actions: all }) =>
        all.filter(({ hookName }) => hookName === "OnPhonePickup").every(({ status }) => status === "Done")
      )

      yield* ticketMessages.sendReply({ path: { id: said.messageID }, payload: {} })
      const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId: said.ticketID } })
      const [reply] = items.filter(({ senderType }) => senderType === "CustomerRep")
      const readBack = yield* eventually(
        phone.read((yield* Effect.fromNullable(reply)).messageID),
        ({ status }) => status === "Sent"
      )
      expect(readBack.message).toBe(drafted.aiReply)

      const again = yield* phone.ask("POST", "/ticketMessages/create-new", {
        ticketID: said.ticketID,
        message: "Thank you"
      })
      expect(yield* decodeMessage(again)).toMatchObject({ ticketID: said.ticketID, channelID })
      const pickups = yield* Effect.map(phone.read(said.messageID), ({ actions: all }) =>
        all.filter(({ hookName }) => hookName === "OnPhonePickup")
      )
      expect(pickups).toHaveLength(2)
    })
  )
})
