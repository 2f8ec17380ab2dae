import { DateTime } from "effect"
import { describe, expect, it } from "vitest"
import { TraceEntry } from "../../schema/Automation.ts"
import { isShown, outcomeOf, wordsOf } from "../../src/pages/desk/TraceWords.ts"

const entry = (type: TraceEntry["type"], what: string, outcome: string | null) =>
  TraceEntry.make({
    at: DateTime.unsafeMake(0),
    type,
    what,
    outcome,
    hookName: null,
    actionID: null,
    aiRunID: null,
    messageID: null
  })

describe("The activity of a message", () => {
  it("leaves out the steps that were not for it", () => {
    const [other, own] = [entry("Step", "OnPhonePickup", "Not for this message"), entry("Step", "OnSpam", "Done")]
    expect([other, own].filter(isShown)).toEqual([own])
  })

  it("is told in words, and a result only where it says something", () => {
    const told = [
      entry("Message", "Received", "Drafted"),
      entry("Step", "PreSpam", "Done"),
      entry("AiRun", "Language", "Succeeded"),
      entry("Step", "Language", "en"),
      entry("AiRun", "Draft", "Failed"),
      entry("Event", "TicketEscalated", null)
    ].map((one) => [wordsOf(one), outcomeOf(one)])
    expect(told).toEqual([
      ["Received", "Status: Drafted"],
      ["Before spam check", "Done"],
      ["AI: language detection", ""],
      ["Language", "English"],
      ["AI: draft reply", "Failed"],
      ["Ticket escalated", ""]
    ])
  })
})
