import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PhoneContext, TicketAccess } from "./Authentication.ts"
import { Bulk } from "./Bulk.ts"
import { SpecialChannel } from "./ChannelTypes.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, changeable, Integer, optional, Query } from "./Fields.ts"
import { HookName } from "./Hooks.ts"
import { ActionID, ChannelID, HookActionID, idFromString, pathId } from "./Ids.ts"
import { Page, paging } from "./Paging.ts"
import { PriorityUpdate } from "./TopicActions.ts"

export class HookAction extends Schema.Class<HookAction>("HookAction")({
  hookActionID: HookActionID.annotations({ description: "Equals the topicActionID of the same row" }),
  hookName: Schema.String,
  actionID: ActionID,
  actionName: Schema.String,
  channelName: Schema.NullOr(Schema.String).annotations({
    description: "The channel's name, else the specialChannel; null for every channel"
  }),
  priority: Schema.Int
}) {}

export const HookActionCreate = Body("HookActionCreate", {
  hookName: HookName,
  actionID: ActionID,
  channelID: optional(ChannelID).annotations({ description: "Restricts the mapping to one channel" }),
  specialChannel: optional(SpecialChannel).annotations({ description: "Restricts the mapping to one type of channel" }),
  priority: Integer.annotations({ examples: [10] })
})
export type HookActionCreate = typeof HookActionCreate.Type

export const HookActionBulk = Bulk("HookActionBulk", HookActionCreate, [
  { hookName: "OnTicketCreated", actionID: ActionID.make(1), priority: 20 },
  { hookName: "OnEscalate", specialChannel: "Email", actionID: ActionID.make(2), priority: 10 }
])

export const hookActionPaging = paging({
  sortable: ["hookActionID", "hookName", "actionID", "actionName", "channelName", "priority"],
  sortBy: "priority",
  sortOrder: "desc"
})

export const HookActionsQuery = Query({ ...hookActionPaging.query, hookName: changeable(HookName) })
export type HookActionsQuery = typeof HookActionsQuery.Type

export const HookActionPage = Page("HookActionPage", HookAction)
export type HookActionPage = typeof HookActionPage.Type

export const WaitQuery = Query({ hookName: HookName, channelId: changeable(idFromString(ChannelID)) })
export type WaitQuery = typeof WaitQuery.Type

export class WaitSeconds extends Schema.Class<WaitSeconds>("WaitSeconds")({
  hookName: Schema.String,
  channelID: Schema.NullOr(ChannelID),
  totalWaitSeconds: Schema.Int
}) {}

const createRules = "Adding the same action twice for the same hook and channel returns 409."

export class HookActionsApi extends HttpApiGroup.make("hookActions")
  .add(
    HttpApiEndpoint.get("listHookActions", "/api/hookactions")
      .setUrlParams(HookActionsQuery)
      .addSuccess(HookActionPage)
      .middleware(PhoneContext)
      .annotateContext(
        OpenApi.annotations({
          summary: "List hook actions",
          description: "Higher priority first, as hook actions run. Also open to phone-auth tokens."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("waitSeconds", "/api/hookactions/wait-seconds")
      .setUrlParams(WaitQuery)
      .addSuccess(WaitSeconds)
      .middleware(PhoneContext)
      .annotateContext(
        OpenApi.annotations({
          summary: "How long a hook waits",
          description:
            "The sum over the active Wait actions of the hook that match the channel: those for that channel, its type, All, or without a channel. Without channelId, only those that match every channel. Also open to phone-auth tokens."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getHookAction")`/api/hookactions/${pathId(HookActionID)}`
      .addSuccess(HookAction)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({ summary: "Read a hook action", description: "One hook action, with its ETag." })
      )
  )
  .add(
    HttpApiEndpoint.post("createHookAction", "/api/hookactions")
      .setPayload(HookActionCreate)
      .addSuccess(HookAction)
      .addError(Conflict)
      .middleware(TicketAccess)
      .annotateContext(OpenApi.annotations({ summary: "Link an action to a hook", description: createRules }))
  )
  .add(
    HttpApiEndpoint.post("createHookActions", "/api/hookactions/bulk")
      .setPayload(HookActionBulk)
      .addSuccess(Schema.Array(HookAction))
      .addError(Conflict)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Link several actions to hooks at once",
          description: `Takes 1 to 500 create bodies and returns the rows in the same order. All or nothing. ${createRules}`
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateHookAction")`/api/hookactions/${pathId(HookActionID)}`
      .setPayload(PriorityUpdate)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change the priority of a hook action",
          description:
            "Only the priority changes. To change anything else, delete the hook action and create a new one."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteHookAction")`/api/hookactions/${pathId(HookActionID)}`
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({ summary: "Delete a hook action", description: "The action itself is kept." })
      )
  )
  .annotateContext(
    OpenApi.annotations({ title: "Hook actions", description: "Actions that a named event of the workflow triggers." })
  ) {}
