import type { TypingSignal } from "../events/Signal.ts"
import type { HubEvent } from "./HubEventsRepo.ts"
import { invocationOf } from "./HubProtocol.ts"
import { lightened } from "./Lightened.ts"

const agentJoined = (argument: { readonly name: string; readonly ticketID?: number }) =>
  invocationOf("AgentJoined", JSON.stringify(argument))

/** What the visitors of a chat are sent about an event; empty for nothing. */
export const forVisitors = ({ agentName, visitorMessage }: HubEvent) => {
  const ofMessage = visitorMessage === null ? "" : invocationOf("MessageReceived", lightened(visitorMessage))
  return ofMessage + (agentName === null ? "" : agentJoined({ name: agentName }))
}

/** What representatives are sent about an event; empty for nothing. */
export const forRepresentatives = ({ agentName, kind, message, ticket, ticketID }: HubEvent) => {
  const target = kind === "DraftReady" ? "DraftReady" : "MessageReceived"
  const ofMessage = message === null ? "" : invocationOf(target, lightened(message))
  const ofAgent = agentName === null ? "" : agentJoined({ name: agentName, ticketID })
  return ofMessage + ofAgent + (ticket === null ? "" : invocationOf("TicketUpdated", ticket))
}

export const typingForVisitors = ({ from }: TypingSignal) => invocationOf("Typing", JSON.stringify({ from }))

/** Names the ticket, since representatives may have several chats open, and a colleague. */
export const typingForRepresentatives = ({ customerRepID, from, ticketID }: TypingSignal) =>
  invocationOf("Typing", JSON.stringify({ from, ticketID, ...(customerRepID !== null && { customerRepID }) }))
