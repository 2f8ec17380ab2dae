import { describe, expect, it } from "@effect/vitest"
import { workflowHooks } from "../../schema/Hooks.ts"
import type { Event, EventKind } from "../../src/events/Event.ts"
import { reactionTo } from "../../src/events/EventHooks.ts"

const reaction = (kind: EventKind, details: Event["details"] = {}) => reactionTo({ kind, details })

/** The hook that each event fires without details; the type requires every kind. */
const firedBy: Readonly<Record<EventKind, string | undefined>> = {
  TicketCreated: "OnTicketCreated",
  TicketClosed: "OnTicketClosed",
  TicketReopened: "OnTicketReopened",
  TicketEscalated: "OnEscalate",
  TicketAssigned: "OnAssigned",
  TicketUnassigned: undefined,
  TicketMarkedSpam: "OnSpam",
  TicketMarkedNotSpam: undefined,
  TicketStatusChanged: undefined,
  TicketChanged: undefined,
  MessageReceived: undefined,
  MessageAdded: undefined,
  MessageChanged: undefined,
  MessageEscalated: "OnEscalate",
  MessageSent: "OnMessageSent",
  SendFailed: "OnSendFailed",
  TopicsDetected: undefined,
  TopicsCorrected: undefined,
  DraftReady: undefined,
  Feedback: "OnFeedback",
  AgentJoined: undefined
}

const isKind = (kind: string): kind is EventKind => Object.hasOwn(firedBy, kind)
const kinds = Object.keys(firedBy).filter(isKind)

describe("An event", () => {
  it.each(kinds)("%s fires its hook and no other", (kind) => {
    const hookName = firedBy[kind]
    const found = reaction(kind)
    expect(found?._tag === "Hook" ? found.hookName : undefined).toBe(hookName)
  })

  it("starts the pipeline when an end user wrote, not for automatic mail", () => {
    expect(reaction("MessageReceived", { isAutomatic: false })).toEqual({ _tag: "Pipeline", opensTicket: false })
    expect(reaction("MessageReceived", { opensTicket: true })).toEqual({ _tag: "Pipeline", opensTicket: true })
    expect(reaction("MessageReceived", { isAutomatic: true, opensTicket: true })).toBeUndefined()
  })

  it("fires OnTicketCreated for a new ticket unless the pipeline of its message does", () => {
    expect(reactionTo({ kind: "TicketCreated" })).toEqual({ _tag: "Hook", hookName: "OnTicketCreated" })
    expect(reactionTo({ kind: "TicketCreated", details: { hasMessage: true } })).toBeUndefined()
    expect(reactionTo({ kind: "TicketCreated", details: { hasMessage: false } })).toMatchObject({
      hookName: "OnTicketCreated"
    })
  })

  it("runs the actions of detected topics only when asked", () => {
    expect(reaction("TopicsDetected", { executeActions: true })).toEqual({ _tag: "TopicActions" })
    expect(reaction("TopicsDetected", { executeActions: false })).toBeUndefined()
  })

  it("fires only hooks that the service knows", () => {
    const fired = Object.values(firedBy).filter((name) => name !== undefined)
    expect(workflowHooks).toEqual(expect.arrayContaining(fired))
  })
})
