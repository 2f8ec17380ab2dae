import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, changeable, clearable, optional, Query, TextUpTo } from "./Fields.ts"
import { HttpUrl } from "./HttpUrl.ts"
import { idFromString, PageTopicMappingID, pathId, TopicID } from "./Ids.ts"
import { Page, paging } from "./Paging.ts"

export class PageTopicMapping extends Schema.Class<PageTopicMapping>("PageTopicMapping")({
  pageTopicMappingID: PageTopicMappingID,
  topicID: TopicID,
  pageUrl: Schema.String,
  context: Schema.NullOr(Schema.String)
}) {}

const PageUrl = HttpUrl.annotations({ examples: ["https://acme.example/help/keys"] })

const PageContext = TextUpTo(10_000).annotations({ description: "What a reader of the page sees; passed to the model" })

export const PageTopicMappingCreate = Body("PageTopicMappingCreate", {
  topicID: TopicID,
  pageUrl: PageUrl,
  context: optional(PageContext)
})
export type PageTopicMappingCreate = typeof PageTopicMappingCreate.Type

export const PageTopicMappingUpdate = Body("PageTopicMappingUpdate", {
  topicID: changeable(TopicID),
  pageUrl: changeable(PageUrl),
  context: clearable(PageContext)
})
export type PageTopicMappingUpdate = typeof PageTopicMappingUpdate.Type

export const pageTopicMappingPaging = paging({
  sortable: ["pageTopicMappingID", "topicID", "pageUrl", "context"],
  sortBy: "pageUrl"
})

export const PageTopicMappingsQuery = Query({
  ...pageTopicMappingPaging.query,
  topicId: changeable(idFromString(TopicID)),
  pageUrl: changeable(TextUpTo(2048)).annotations({ description: "Exactly this URL, as stored" })
})
export type PageTopicMappingsQuery = typeof PageTopicMappingsQuery.Type

export const PageTopicMappingPage = Page("PageTopicMappingPage", PageTopicMapping)
export type PageTopicMappingPage = typeof PageTopicMappingPage.Type

export class PageTopicMappingsApi extends HttpApiGroup.make("pageTopicMappings")
  .add(
    HttpApiEndpoint.get("listPageTopicMappings", "/api/PageTopicMappings")
      .setUrlParams(PageTopicMappingsQuery)
      .addSuccess(PageTopicMappingPage)
      .annotateContext(OpenApi.annotations({ summary: "List page topic mappings", description: "Sorted by page URL." }))
  )
  .add(
    HttpApiEndpoint.get("getPageTopicMapping")`/api/PageTopicMappings/${pathId(PageTopicMappingID)}`
      .addSuccess(PageTopicMapping)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Read a page topic mapping", description: "One mapping, with its ETag." })
      )
  )
  .add(
    HttpApiEndpoint.post("createPageTopicMapping", "/api/PageTopicMappings")
      .setPayload(PageTopicMappingCreate)
      .addSuccess(PageTopicMapping)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Link a page to a topic",
          description:
            "For a message sent from this page, or from a page below it, the topic is a hint to topic detection. The same page and topic twice returns 409."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updatePageTopicMapping")`/api/PageTopicMappings/${pathId(PageTopicMappingID)}`
      .setPayload(PageTopicMappingUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a page topic mapping",
          description: "Missing properties stay unchanged."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deletePageTopicMapping")`/api/PageTopicMappings/${pathId(PageTopicMappingID)}`
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Delete a page topic mapping", description: "The topic is kept." })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Page topic mappings", description: "Which topics the pages of a website are about." })
  ) {}
