import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { Conflict, Forbidden, NotFound } from "./Errors.ts"
import { Body, optional } from "./Fields.ts"
import { HookName } from "./Hooks.ts"
import { ActionID, AiRunID, ChannelID, HookActionID, pathId, TicketMessageID } from "./Ids.ts"
import { Done } from "./TicketMessageBodies.ts"

export const FireHook = Body("FireHook", {
  hookName: HookName,
  ticketMessageID: TicketMessageID.annotations({ description: "One of your messages" }),
  dryRun: optional(Schema.Boolean).annotations({ description: "true only explains what would run" })
})
export type FireHook = typeof FireHook.Type

export class HookStep extends Schema.Class<HookStep>("HookStep")({
  order: Schema.Int.annotations({ description: "From 1" }),
  hookActionID: HookActionID,
  actionID: ActionID,
  name: Schema.String,
  operation: Schema.String
}) {}

export class SkippedHookAction extends Schema.Class<SkippedHookAction>("SkippedHookAction")({
  hookActionID: HookActionID,
  actionID: ActionID,
  name: Schema.String,
  reason: Schema.String.annotations({ examples: ["It is for another channel."] })
}) {}

export class FiredHook extends Schema.Class<FiredHook>("FiredHook")({
  hookName: Schema.String,
  channelID: ChannelID,
  steps: Schema.Array(HookStep),
  skipped: Schema.Array(SkippedHookAction)
}) {}

export class TraceEntry extends Schema.Class<TraceEntry>("TraceEntry")({
  at: Schema.DateTimeUtc,
  type: Schema.Literal("Message", "Step", "Event", "Action", "AiRun").annotations({
    description:
      "Message: it arrived, or an answer to it. Step: a step of its pipeline ended. Event: something happened to it or its ticket. Action: an automation ran. AiRun: a model was asked."
  }),
  what: Schema.String.annotations({ examples: ["Spam check"] }),
  outcome: Schema.NullOr(Schema.String).annotations({ examples: ["Not spam"] }),
  hookName: Schema.NullOr(Schema.String),
  actionID: Schema.NullOr(ActionID),
  aiRunID: Schema.NullOr(AiRunID).annotations({ description: "The call in the AI ledger" }),
  messageID: Schema.NullOr(TicketMessageID)
}) {}

export class MessageTrace extends Schema.Class<MessageTrace>("MessageTrace")({
  messageID: TicketMessageID,
  entries: Schema.Array(TraceEntry).annotations({ description: "In the order in which it happened" })
}) {}

export class AutomationApi extends HttpApiGroup.make("automation")
  .add(
    HttpApiEndpoint.post("fireHook", "/api/hookactions/fire")
      .setPayload(FireHook)
      .addSuccess(FiredHook)
      .annotateContext(
        OpenApi.annotations({
          summary: "Fire a hook by hand",
          description:
            "Starts the hook's actions for a message and answers at once with what runs, in which order, and why the rest does not. With dryRun nothing runs. A message that is not yours is 400."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("retryMessage")`/ticketMessages/${pathId(TicketMessageID)}/retry`
      .addSuccess(Done)
      .addError(NotFound)
      .addError(Forbidden)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Process a message again",
          description:
            "Does the steps of its processing again that failed or were given up (its trace names them); those that are done are not repeated. So are those that were passed over because there was no AI key or no model, once there is a key. A message that was taken for spam goes on from there once its ticket is spam no longer. When nothing failed, 409."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getMessageTrace")`/ticketMessages/${pathId(TicketMessageID)}/trace`
      .addSuccess(MessageTrace)
      .addError(NotFound)
      .addError(Forbidden)
      .annotateContext(
        OpenApi.annotations({
          summary: "Follow a message",
          description:
            "Its whole story: arrival, hooks, spam check, topics, actions, AI calls, drafts, answers and failures, each with its time."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Automation", description: "Hooks fired by hand, and what automation did." })
  ) {}
