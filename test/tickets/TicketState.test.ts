import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { CustomerRepID } from "../../schema/Ids.ts"
import { TicketStatus } from "../../schema/Operations.ts"
import type { TicketEventKind } from "../../src/events/Event.ts"
import { decide, decideAll, type TicketCommand, type TicketState } from "../../src/tickets/TicketState.ts"

const rep = fc.constantFrom(null, CustomerRepID.make(1), CustomerRepID.make(2))
const status = fc.constantFrom(...TicketStatus.literals)

const command: fc.Arbitrary<TicketCommand> = fc.oneof(
  fc.record({ _tag: fc.constant("SetStatus" as const), status }),
  fc.constantFrom<TicketCommand>(
    { _tag: "Close" },
    { _tag: "Reopen" },
    { _tag: "Escalate" },
    { _tag: "MarkSpam" },
    { _tag: "MarkNotSpam" }
  ),
  fc.record({ _tag: fc.constant("Assign" as const), customerRepID: rep }),
  fc.record({ _tag: fc.constant("ReceiveMessage" as const), isAutomatic: fc.boolean() })
)

const isPossible = ({ isSpam, status: at }: TicketState) => !(isSpam && at === "Escalated")

const state: fc.Arbitrary<TicketState> = fc
  .record({ status, isSpam: fc.boolean(), customerRepID: rep })
  .filter(isPossible)

const at = (of: TicketState["status"], isSpam = false): TicketState => ({ status: of, isSpam, customerRepID: null })

/** The new state and its events, in one line. */
const outcome = (before: TicketState, ...commands: ReadonlyArray<TicketCommand>) =>
  Either.match(decideAll(before, commands), {
    onLeft: () => "conflict",
    onRight: ({ events, state: now }) => [now.status, ...(now.isSpam ? ["spam"] : []), ...events].join(" ")
  })

/** The events that a change must have, derived from the two states alone. */
const happened = (before: TicketState, now: TicketState): ReadonlyArray<TicketEventKind> => [
  ...(before.isSpam === now.isSpam ? [] : ([now.isSpam ? "TicketMarkedSpam" : "TicketMarkedNotSpam"] as const)),
  ...(before.status === "Closed" && now.status !== "Closed" ? (["TicketReopened"] as const) : []),
  ...(before.status !== "Closed" && now.status === "Closed" ? (["TicketClosed"] as const) : []),
  ...(before.status !== "Escalated" && now.status === "Escalated" ? (["TicketEscalated"] as const) : []),
  ...(before.status !== now.status && before.status !== "Closed" && (now.status === "Open" || now.status === "Pending")
    ? (["TicketStatusChanged"] as const)
    : []),
  ...(before.customerRepID === now.customerRepID
    ? []
    : ([now.customerRepID === null ? "TicketUnassigned" : "TicketAssigned"] as const))
]

describe("The state of a ticket", () => {
  it("never becomes contradictory, whatever is done to it in whatever order", () => {
    fc.assert(
      fc.property(state, fc.array(command, { maxLength: 20 }), (start, commands) => {
        const end = commands.reduce(
          (now, next) => Either.match(decide(now, next), { onLeft: () => now, onRight: (done) => done.state }),
          start
        )
        expect(isPossible(end)).toBe(true)
        expect(Object.keys(end).sort()).toEqual(["customerRepID", "isSpam", "status"])
      })
    )
  })

  it("yields one event for each change, and none without a change", () => {
    fc.assert(
      fc.property(state, command, (before, given) => {
        const decided = decide(before, given)
        if (Either.isLeft(decided)) return
        const { events, state: now } = decided.right
        expect(events.toSorted()).toEqual(happened(before, now).toSorted())
        if (events.length === 0) expect(now).toEqual(before)
        else expect(now).not.toEqual(before)
      })
    )
  })

  it("does not change when the same is done again", () => {
    fc.assert(
      fc.property(state, command, (before, given) => {
        const once = decide(before, given)
        if (Either.isLeft(once)) return
        expect(decide(once.right.state, given)).toEqual(Either.right({ state: once.right.state, events: [] }))
      })
    )
  })

  it("refuses nothing but the escalation of spam", () => {
    fc.assert(
      fc.property(state, command, (before, given) => {
        const escalates = given._tag === "Escalate" || (given._tag === "SetStatus" && given.status === "Escalated")
        expect(Either.isLeft(decide(before, given))).toBe(before.isSpam && escalates)
      })
    )
  })

  it("applies several commands as if one after the other, or stops at the first conflict", () => {
    fc.assert(
      fc.property(state, fc.array(command, { maxLength: 6 }), (start, commands) => {
        const all = decideAll(start, commands)
        let now = start
        const events: Array<TicketEventKind> = []
        for (const next of commands) {
          const one = decide(now, next)
          if (Either.isLeft(one)) return void expect(all).toEqual(one)
          now = one.right.state
          events.push(...one.right.events)
        }
        expect(all).toEqual(Either.right({ state: now, events }))
      })
    )
  })

  it("is reopened by an end user's message, but not by spam or automatic mail", () => {
    const wrote = { _tag: "ReceiveMessage", isAutomatic: false } as const
    expect(outcome(at("Closed"), wrote)).toBe("Open TicketReopened")
    expect(outcome(at("Pending"), wrote)).toBe("Open TicketStatusChanged")
    expect(outcome(at("Open"), wrote)).toBe("Open")
    expect(outcome(at("Escalated"), wrote)).toBe("Escalated")
    expect(outcome(at("Closed", true), wrote)).toBe("Closed spam")
    expect(outcome(at("Pending", true), wrote)).toBe("Pending spam")
    for (const from of TicketStatus.literals) {
      expect(outcome(at(from), { _tag: "ReceiveMessage", isAutomatic: true })).toBe(from)
    }
  })

  it("is escalated once, even when it was closed", () => {
    const escalate = { _tag: "Escalate" } as const
    expect(outcome(at("Closed"), escalate)).toBe("Escalated TicketReopened TicketEscalated")
    expect(outcome(at("Closed"), escalate, escalate)).toBe("Escalated TicketReopened TicketEscalated")
    expect(outcome(at("Open"), escalate)).toBe("Escalated TicketEscalated")
    expect(outcome(at("Open", true), escalate)).toBe("conflict")
    expect(outcome(at("Open", true), { _tag: "MarkNotSpam" }, escalate)).toBe(
      "Escalated TicketMarkedNotSpam TicketEscalated"
    )
    expect(outcome(at("Escalated"), { _tag: "MarkSpam" })).toBe("Open spam TicketMarkedSpam TicketStatusChanged")
  })

  it("is reopened only when it was closed", () => {
    for (const from of ["Open", "Pending", "Escalated"] as const) {
      expect(outcome(at(from), { _tag: "Reopen" })).toBe(from)
    }
    expect(outcome(at("Closed"), { _tag: "Reopen" })).toBe("Open TicketReopened")
  })
})
