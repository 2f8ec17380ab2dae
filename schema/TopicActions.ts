import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { Bulk } from "./Bulk.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, BodyWithRule, changeable, Integer, Query, QueryBoolean } from "./Fields.ts"
import { ActionID, idFromString, pathId, TopicActionID, TopicID } from "./Ids.ts"
import { targetCreate, targetFilters, targetProblems, targetRead, targetSortable } from "./MappingTarget.ts"
import { Page, paging } from "./Paging.ts"

export class TopicAction extends Schema.Class<TopicAction>("TopicAction")({
  topicActionID: TopicActionID,
  actionID: ActionID,
  priority: Schema.Int,
  isActive: Schema.Boolean,
  ...targetRead
}) {}

export const TopicActionCreate = BodyWithRule(
  "TopicActionCreate",
  {
    ...targetCreate,
    actionID: ActionID,
    priority: Integer.annotations({ examples: [10] }),
    isActive: Schema.Boolean
  },
  targetProblems
)
export type TopicActionCreate = typeof TopicActionCreate.Type

export const TopicActionBulk = Bulk("TopicActionBulk", TopicActionCreate, [
  { topicID: TopicID.make(1), actionID: ActionID.make(1), priority: 10, isActive: true },
  { hookName: "OnEscalate", specialChannel: "Email", actionID: ActionID.make(2), priority: 20, isActive: true }
])

export const PriorityUpdate = Body("PriorityUpdate", { priority: Integer.annotations({ examples: [20] }) })
export type PriorityUpdate = typeof PriorityUpdate.Type

export const topicActionPaging = paging({
  sortable: ["topicActionID", "actionID", "priority", "isActive", ...targetSortable],
  sortBy: "priority"
})

export const TopicActionsQuery = Query({
  ...topicActionPaging.query,
  ...targetFilters,
  actionId: changeable(idFromString(ActionID)),
  isActive: changeable(QueryBoolean)
})
export type TopicActionsQuery = typeof TopicActionsQuery.Type

export const TopicActionPage = Page("TopicActionPage", TopicAction)
export type TopicActionPage = typeof TopicActionPage.Type

const createRules =
  "Belongs to a topic (topicID) or to a hook (hookName, optionally with channelID or specialChannel). The same mapping twice returns 409."

export class TopicActionsApi extends HttpApiGroup.make("topicActions")
  .add(
    HttpApiEndpoint.get("listTopicActions", "/api/TopicActions")
      .setUrlParams(TopicActionsQuery)
      .addSuccess(TopicActionPage)
      .annotateContext(
        OpenApi.annotations({
          summary: "List topic actions",
          description: "Lower priority values first, as topic actions run. Actions of hooks are listed too."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getTopicAction")`/api/TopicActions/${pathId(TopicActionID)}`
      .addSuccess(TopicAction)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Read a topic action", description: "One mapping, with its ETag." })
      )
  )
  .add(
    HttpApiEndpoint.post("createTopicAction", "/api/TopicActions")
      .setPayload(TopicActionCreate)
      .addSuccess(TopicAction)
      .addError(Conflict)
      .annotateContext(OpenApi.annotations({ summary: "Link an action to a topic or hook", description: createRules }))
  )
  .add(
    HttpApiEndpoint.post("createTopicActions", "/api/TopicActions/bulk")
      .setPayload(TopicActionBulk)
      .addSuccess(Schema.Array(TopicAction))
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Link several actions at once",
          description: `Takes 1 to 500 create bodies and returns the rows in the same order. All or nothing. ${createRules}`
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateTopicAction")`/api/TopicActions/${pathId(TopicActionID)}`
      .setPayload(PriorityUpdate)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change the priority of a topic action",
          description: "Only the priority changes, whatever else is in the body."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteTopicAction")`/api/TopicActions/${pathId(TopicActionID)}`
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Delete a topic action", description: "The topic and the action are kept." })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Topic actions", description: "Which actions a topic or a hook triggers." })
  ) {}
