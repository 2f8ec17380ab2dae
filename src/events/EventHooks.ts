import { Context } from "effect"
import type { workflowHooks } from "../../schema/Hooks.ts"
import type { Event, EventKind } from "./Event.ts"

type Hook = (typeof workflowHooks)[number]

/**
 * The only place that says which event fires which hook. Hooks that the pipeline fires itself, in its own order, are
 * not listed here.
 */
const hookOf: Partial<Readonly<Record<EventKind, Hook>>> = {
  TicketClosed: "OnTicketClosed",
  TicketReopened: "OnTicketReopened",
  TicketEscalated: "OnEscalate",
  MessageEscalated: "OnEscalate",
  TicketAssigned: "OnAssigned",
  TicketMarkedSpam: "OnSpam",
  MessageSent: "OnMessageSent",
  SendFailed: "OnSendFailed",
  Feedback: "OnFeedback"
}

/** What an event triggers. */
type Reaction =
  | { readonly _tag: "Pipeline"; readonly opensTicket: boolean }
  | { readonly _tag: "Hook"; readonly hookName: Hook }
  | { readonly _tag: "TopicActions" }

/** The parts of an event that decide what follows from it. */
type Happening = Pick<Event, "kind" | "details">

export const reactionTo = ({ details = {}, kind }: Happening): Reaction | undefined => {
  switch (kind) {
    case "MessageReceived":
      // Automatic mail is only stored.
      return details["isAutomatic"] === true
        ? undefined
        : { _tag: "Pipeline", opensTicket: details["opensTicket"] === true }
    case "TicketCreated":
      // With a message, its pipeline fires the hook.
      return details["hasMessage"] === true ? undefined : { _tag: "Hook", hookName: "OnTicketCreated" }
    case "TopicsDetected":
      return details["executeActions"] === true ? { _tag: "TopicActions" } : undefined
    default: {
      const hookName = hookOf[kind]
      return hookName === undefined ? undefined : { _tag: "Hook", hookName }
    }
  }
}

/** How to react to events; a test of a single feature turns all reactions off. */
export class Reactions extends Context.Reference<Reactions>()("casework/Reactions", {
  defaultValue: (): ((event: Happening) => Reaction | undefined) => reactionTo
}) {}
