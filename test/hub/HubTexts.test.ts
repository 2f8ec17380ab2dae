import { expect, it } from "@effect/vitest"
import { CustomerID, CustomerRepID, TicketID } from "../../schema/Ids.ts"
import type { HubEvent } from "../../src/hub/HubEventsRepo.ts"
import { forRepresentatives, forVisitors, typingForRepresentatives, typingForVisitors } from "../../src/hub/HubTexts.ts"
import { recordSeparator } from "../../src/hub/RecordFraming.ts"
import { field, listIn } from "../support/Fields.ts"

const ticketID = TicketID.make(7)

const event = (given: Partial<HubEvent>): HubEvent => ({
  eventID: "1",
  transactionID: 1n,
  kind: "TicketChanged",
  ticketID,
  message: null,
  visitorMessage: null,
  agentName: null,
  ticket: null,
  ...given
})

const calls = (text: string) => {
  expect(text === "" || text.endsWith(recordSeparator)).toBe(true)
  return text
    .split(recordSeparator)
    .slice(0, -1)
    .map((record) => {
      const told: unknown = JSON.parse(record)
      expect(told).toMatchObject({ type: 1 })
      return [field(told, "target"), ...listIn(told, "arguments")]
    })
}

it("Representatives get a message before its ticket, and visitors get only what they may see", () => {
  const message = event({
    kind: "MessageReceived",
    message: '{"messageID":1,"status":"Sent"}',
    visitorMessage: '{"messageID":1}',
    ticket: '{"ticketID":7}'
  })
  expect(calls(forRepresentatives(message))).toEqual([
    ["MessageReceived", { messageID: 1, status: "Sent" }],
    ["TicketUpdated", { ticketID: 7 }]
  ])
  expect(calls(forVisitors(message))).toEqual([["MessageReceived", { messageID: 1 }]])
})

it("A draft has an event of its own, which visitors do not get", () => {
  const draft = event({ kind: "DraftReady", message: '{"messageID":1}' })
  expect(calls(forRepresentatives(draft))).toEqual([["DraftReady", { messageID: 1 }]])
  expect(forVisitors(draft)).toBe("")
})

it("Representatives also hear which ticket somebody joins or types in", () => {
  const joined = event({ kind: "AgentJoined", agentName: 'Ann "the" Agent' })
  expect(calls(forRepresentatives(joined))).toEqual([["AgentJoined", { name: 'Ann "the" Agent', ticketID }]])
  expect(calls(forVisitors(joined))).toEqual([["AgentJoined", { name: 'Ann "the" Agent' }]])
  const typing = { customerID: CustomerID.make(1), ticketID, from: "Ann", customerRepID: CustomerRepID.make(2) }
  expect(calls(typingForRepresentatives(typing))).toEqual([["Typing", { from: "Ann", ticketID, customerRepID: 2 }]])
  expect(calls(typingForRepresentatives({ ...typing, customerRepID: null }))).toEqual([
    ["Typing", { from: "Ann", ticketID }]
  ])
  expect(calls(typingForVisitors(typing))).toEqual([["Typing", { from: "Ann" }]])
})

it("Events that are not meant for clients are sent to nobody", () => {
  expect([forRepresentatives(event({})), forVisitors(event({ ticket: '{"ticketID":7}' }))]).toEqual(["", ""])
})
