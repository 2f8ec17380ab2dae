import type { TicketID, TicketMessageID } from "../../schema/Ids.ts"

/** What can happen to a ticket or a message. */
export type EventKind =
  | "TicketCreated"
  | "TicketClosed"
  | "TicketReopened"
  | "TicketEscalated"
  | "TicketAssigned"
  | "TicketUnassigned"
  | "TicketMarkedSpam"
  | "TicketMarkedNotSpam"
  | "TicketStatusChanged"
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
