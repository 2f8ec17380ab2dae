import { Either } from "effect"
import type { CustomerRepID } from "../../schema/Ids.ts"
import type { TicketStatus } from "../../schema/Operations.ts"
import type { TicketEventKind } from "../events/Event.ts"

/** The state of a ticket. Being closed is not a separate field: it is a status. */
export interface TicketState {
  readonly status: TicketStatus
  readonly isSpam: boolean
  readonly customerRepID: CustomerRepID | null
}

/** Everything that can be done to a ticket. */
export type TicketCommand =
  | { readonly _tag: "SetStatus"; readonly status: TicketStatus }
  | { readonly _tag: "Close" }
  | { readonly _tag: "Reopen" }
  | { readonly _tag: "Escalate" }
  | { readonly _tag: "MarkSpam" }
  | { readonly _tag: "MarkNotSpam" }
  | { readonly _tag: "Assign"; readonly customerRepID: CustomerRepID | null }
  /** An end user wrote; automatic mail reopens nothing. */
  | { readonly _tag: "ReceiveMessage"; readonly isAutomatic: boolean }

interface Decision {
  readonly state: TicketState
  readonly events: ReadonlyArray<TicketEventKind>
}

/** Why a command cannot be carried out on the ticket as it stands. */
type StateConflict = "Spam cannot be escalated. Mark the ticket as not spam first."

type Result = Either.Either<Decision, StateConflict>

const unchanged = (state: TicketState): Result => Either.right({ state, events: [] })

const statusEvents = (before: TicketStatus, after: TicketStatus): ReadonlyArray<TicketEventKind> => {
  const reopened: ReadonlyArray<TicketEventKind> = before === "Closed" ? ["TicketReopened"] : []
  if (after === "Closed") return ["TicketClosed"]
  if (after === "Escalated") return [...reopened, "TicketEscalated"]
  return before === "Closed" ? reopened : ["TicketStatusChanged"]
}

const toStatus = (state: TicketState, status: TicketStatus): Result => {
  if (status === state.status) return unchanged(state)
  if (status === "Escalated" && state.isSpam) {
    return Either.left("Spam cannot be escalated. Mark the ticket as not spam first.")
  }
  return Either.right({ state: { ...state, status }, events: statusEvents(state.status, status) })
}

const markSpam = (state: TicketState): Result => {
  if (state.isSpam) return unchanged(state)
  // Spam no longer needs anyone to step in.
  const status = state.status === "Escalated" ? "Open" : state.status
  return Either.right({
    state: { ...state, status, isSpam: true },
    events: status === state.status ? ["TicketMarkedSpam"] : ["TicketMarkedSpam", "TicketStatusChanged"]
  })
}

const assign = (state: TicketState, customerRepID: CustomerRepID | null): Result =>
  customerRepID === state.customerRepID
    ? unchanged(state)
    : Either.right({
        state: { ...state, customerRepID },
        events: [customerRepID === null ? "TicketUnassigned" : "TicketAssigned"]
      })

/** The one place that decides what happens to a ticket: its new state and events, or why not. */
export const decide = (state: TicketState, command: TicketCommand): Result => {
  switch (command._tag) {
    case "SetStatus":
      return toStatus(state, command.status)
    case "Close":
      return toStatus(state, "Closed")
    case "Reopen":
      return state.status === "Closed" ? toStatus(state, "Open") : unchanged(state)
    case "Escalate":
      return toStatus(state, "Escalated")
    case "MarkSpam":
      return markSpam(state)
    case "MarkNotSpam":
      return state.isSpam
        ? Either.right({ state: { ...state, isSpam: false }, events: ["TicketMarkedNotSpam"] })
        : unchanged(state)
    case "Assign":
      return assign(state, command.customerRepID)
    case "ReceiveMessage":
      return !command.isAutomatic && !state.isSpam && (state.status === "Closed" || state.status === "Pending")
        ? toStatus(state, "Open")
        : unchanged(state)
  }
}

/** Applies several commands in order; the first conflict stops them all. */
export const decideAll = (state: TicketState, commands: ReadonlyArray<TicketCommand>): Result =>
  commands.reduce<Result>(
    (result, command) =>
      Either.flatMap(result, (before) =>
        Either.map(decide(before.state, command), (after) => ({
          state: after.state,
          events: [...before.events, ...after.events]
        }))
      ),
    unchanged(state)
  )
