import { Schema } from "effect"

/** The events of the service, in the order in which they occur for a message. */
export const workflowHooks = [
  "OnTicketCreated",
  "OnMessageReceived",
  "PreSpam",
  "OnSpam",
  "OnTopicsDetected",
  "OnDraftReady",
  "OnMessageSent",
  "OnSendFailed",
  "OnEscalate",
  "OnAssigned",
  "OnTicketClosed",
  "OnTicketReopened",
  "OnFeedback",
  "OnPhonePickup",
  "OnChatStarted"
] as const

/** Not an event: documents under this name are part of the prompt of every message. */
export const everyMessage = "All"

const canonical = new Map([...workflowHooks, everyMessage].map((name): [string, string] => [name.toLowerCase(), name]))

/** Corrects the case of known names and leaves other names unchanged. */
export const HookName = Schema.transform(
  Schema.String.pipe(
    Schema.pattern(/^[A-Za-z0-9_-]{1,100}$/, {
      message: () => "must be 1 to 100 letters, digits, hyphens or underscores"
    })
  ),
  Schema.String,
  {
    strict: true,
    decode: (name) => canonical.get(name.toLowerCase()) ?? name,
    encode: (name) => name
  }
).annotations({
  description: `Compared without regard to case. The service itself fires ${workflowHooks.join(", ")}; other names are fired manually.`,
  examples: ["OnEscalate"],
  jsonSchema: { type: "string", pattern: "^[A-Za-z0-9_-]{1,100}$", examples: ["OnEscalate"] },
  arbitrary: () => (fc) => fc.stringMatching(/^[a-z]{1,10}$/)
})
