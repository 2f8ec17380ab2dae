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
  dryRun: optional(Schema.Boolean).annotations({ description: "true only shows what would run" })
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
      "Message: the message or an answer to it arrived. Step: a step of its pipeline ended. Event: something happened to it or its ticket. Action: an automation ran. AiRun: a model was called."
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
  entries: Schema.Array(TraceEntry).annotations({ description: "In chronological order" })
}) {}

export class AutomationApi extends HttpApiGroup.make("automation")
  .add(
    HttpApiEndpoint.post("fireHook", "/api/hookactions/fire")
      .setPayload(FireHook)
      .addSuccess(FiredHook)
      .annotateContext(
        OpenApi.annotations({
          summary: "Fire a hook manually",
          description:
            "Starts the hook's actions for a message and returns at once which of them run, in which order, and why the others do not. With dryRun nothing runs. A message that is not yours returns 400."
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
            "Repeats the processing steps that failed or were given up (see its trace), but not those that succeeded. Steps that were skipped because there was no AI key or no model are also run once there is one. Processing of a message taken for spam continues once its ticket is no longer marked as spam. Returns 409 when nothing failed."
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
            "Its complete history: arrival, hooks, spam check, topics, actions, AI calls, drafts, answers and failures, each with its time."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({
      title: "Automation",
      description: "Firing hooks manually, and a record of what automation did."
    })
  ) {}
