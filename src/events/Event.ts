import type { TicketID, TicketMessageID } from "../../schema/Ids.ts"

/** The ways in which a ticket's state can change. */
export type TicketEventKind =
  | "TicketClosed"
  | "TicketReopened"
  | "TicketEscalated"
  | "TicketAssigned"
  | "TicketUnassigned"
  | "TicketMarkedSpam"
  | "TicketMarkedNotSpam"
  | "TicketStatusChanged"

/** What can happen to a ticket or a message. */
export type EventKind =
  | TicketEventKind
  | "TicketCreated"
  | "TicketChanged"
  | "MessageReceived"
  | "MessageAdded"
  | "MessageChanged"
  | "MessageEscalated"
  | "MessageSent"
  | "SendFailed"
  | "TopicsDetected"
  | "TopicsCorrected"
  | "DraftReady"
  | "Feedback"
  | "AgentJoined"

export interface Event {
  readonly kind: EventKind
  readonly ticketID: TicketID
  readonly ticketMessageID?: TicketMessageID
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}
