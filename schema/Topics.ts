import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, clearable, Name, optional, Query, TextUpTo } from "./Fields.ts"
import { CustomerID, pathId, TopicID } from "./Ids.ts"
import { Page, paging } from "./Paging.ts"

export class Topic extends Schema.Class<Topic>("Topic")({
  topicID: TopicID,
  customerID: CustomerID,
  name: Schema.String,
  description: Schema.NullOr(Schema.String)
}) {}

const TopicName = Name.annotations({ examples: ["Lost key"] })

const Description = TextUpTo(10_000).annotations({
  description: "What messages of this topic are about; topic detection reads it"
})

export const TopicCreate = Body("TopicCreate", { name: TopicName, description: optional(Description) })
export type TopicCreate = typeof TopicCreate.Type

export const TopicUpdate = Body("TopicUpdate", { name: TopicName, description: clearable(Description) })
export type TopicUpdate = typeof TopicUpdate.Type

export const topicPaging = paging({ sortable: ["topicID", "customerID", "name", "description"], sortBy: "name" })

export const TopicsQuery = Query(topicPaging.query)
export type TopicsQuery = typeof TopicsQuery.Type

export const TopicPage = Page("TopicPage", Topic)
export type TopicPage = typeof TopicPage.Type

export class TopicsApi extends HttpApiGroup.make("topics")
  .add(
    HttpApiEndpoint.get("listTopics", "/api/Topics")
      .setUrlParams(TopicsQuery)
      .addSuccess(TopicPage)
      .annotateContext(
        OpenApi.annotations({ summary: "List topics", description: "The customer's topics, sorted by name." })
      )
  )
  .add(
    HttpApiEndpoint.get("getTopic")`/api/Topics/${pathId(TopicID)}`
      .addSuccess(Topic)
      .addError(NotFound)
      .annotateContext(OpenApi.annotations({ summary: "Read a topic", description: "One topic, with its ETag." }))
  )
  .add(
    HttpApiEndpoint.post("createTopic", "/api/Topics")
      .setPayload(TopicCreate)
      .addSuccess(Topic)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a topic",
          description: "A second topic with the same name, in any case, returns 409."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateTopic")`/api/Topics/${pathId(TopicID)}`
      .setPayload(TopicUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a topic",
          description: "The name is required. A missing description stays unchanged, null clears it."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteTopic")`/api/Topics/${pathId(TopicID)}`.addError(NotFound).annotateContext(
      OpenApi.annotations({
        summary: "Delete a topic",
        description: "Its mappings to actions, documents and pages are deleted as well."
      })
    )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Topics", description: "The customer's own categories of what messages are about." })
  ) {}
