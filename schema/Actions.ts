import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { BodyWithRule, clearable, Integer, Name, optional, Query, TextUpTo } from "./Fields.ts"
import { ActionID, pathId } from "./Ids.ts"
import {
  OperationName,
  OperationParameters,
  parametersFitGivenOperation,
  parametersFitOperation
} from "./Operations.ts"
import { Page, paging } from "./Paging.ts"

const examples = { name: "Close ticket", description: "Closes the ticket and fires OnTicketClosed", priority: 10 }

export class Action extends Schema.Class<Action>("Action")({
  actionID: ActionID,
  name: Schema.String.annotations({ examples: [examples.name] }),
  description: Schema.NullOr(Schema.String),
  priority: Schema.Int,
  isActive: Schema.Boolean,
  operation: OperationName.annotations({ description: "What the action does; derived from the name when not given" }),
  parameters: Schema.NullOr(OperationParameters)
}) {}

const Description = TextUpTo(10_000).annotations({ examples: [examples.description] })

export const ActionCreate = BodyWithRule(
  "ActionCreate",
  {
    name: Name.annotations({ examples: [examples.name] }),
    description: optional(Description),
    priority: Integer.annotations({ examples: [examples.priority] }),
    isActive: Schema.Boolean,
    operation: optional(OperationName),
    parameters: optional(OperationParameters)
  },
  parametersFitOperation
)
export type ActionCreate = typeof ActionCreate.Type

export const ActionUpdate = BodyWithRule(
  "ActionUpdate",
  {
    actionID: ActionID.annotations({ description: "Must equal the id in the path" }),
    name: Name,
    description: clearable(Description),
    priority: Integer,
    isActive: Schema.Boolean,
    operation: clearable(OperationName),
    parameters: clearable(OperationParameters)
  },
  parametersFitGivenOperation
)
export type ActionUpdate = typeof ActionUpdate.Type

export const actionPaging = paging({
  sortable: ["actionID", "name", "description", "priority", "isActive", "operation", "parameters"],
  sortBy: "name",
  pageSize: 10
})

export const ActionsQuery = Query(actionPaging.query)
export type ActionsQuery = typeof ActionsQuery.Type

export const ActionPage = Page("ActionPage", Action)
export type ActionPage = typeof ActionPage.Type

export class ActionsApi extends HttpApiGroup.make("actions")
  .add(
    HttpApiEndpoint.get("listActions", "/api/Actions")
      .setUrlParams(ActionsQuery)
      .addSuccess(ActionPage)
      .annotateContext(
        OpenApi.annotations({ summary: "List actions", description: "The customer's actions, by name." })
      )
  )
  .add(
    HttpApiEndpoint.get("getAction")`/api/Actions/${pathId(ActionID)}`
      .addSuccess(Action)
      .addError(NotFound)
      .annotateContext(OpenApi.annotations({ summary: "Read an action", description: "One action, with its ETag." }))
  )
  .add(
    HttpApiEndpoint.post("createAction", "/api/Actions")
      .setPayload(ActionCreate)
      .addSuccess(Action, { status: 201 })
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create an action",
          description:
            'Returns 201 with a Location. If operation is omitted, it is derived from the name ("Wait 30 seconds", "Close ticket"), or else None. A second action with the same name, in any case, returns 409.'
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateAction")`/api/Actions/${pathId(ActionID)}`
      .setPayload(ActionUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change an action",
          description:
            "The actionID in the body must equal the id in the path. Optional properties that are missing stay unchanged."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteAction")`/api/Actions/${pathId(ActionID)}`.addError(NotFound).annotateContext(
      OpenApi.annotations({
        summary: "Delete an action",
        description: "Its mappings to topics and hooks are deleted as well."
      })
    )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Actions", description: "Automation operations that topics and hooks trigger." })
  ) {}
