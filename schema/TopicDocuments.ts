import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, BodyWithRule, changeable, clearable, Integer, optional, Query, QueryBoolean } from "./Fields.ts"
import { DocumentID, idFromString, pathId, TopicDocumentID } from "./Ids.ts"
import {
  targetCreate,
  targetFilters,
  targetProblems,
  targetRead,
  targetSortable,
  targetUpdate
} from "./MappingTarget.ts"
import { Page, paging } from "./Paging.ts"

export class TopicDocument extends Schema.Class<TopicDocument>("TopicDocument")({
  topicDocumentID: TopicDocumentID,
  documentID: DocumentID,
  relevanceScore: Schema.NullOr(Schema.Int).annotations({ description: "Higher is better" }),
  ...targetRead
}) {}

export const TopicDocumentCreate = BodyWithRule(
  "TopicDocumentCreate",
  {
    ...targetCreate,
    documentID: DocumentID,
    relevanceScore: optional(Integer)
  },
  targetProblems
)
export type TopicDocumentCreate = typeof TopicDocumentCreate.Type

export const TopicDocumentUpdate = Body("TopicDocumentUpdate", {
  ...targetUpdate,
  documentID: changeable(DocumentID),
  relevanceScore: clearable(Integer)
})
export type TopicDocumentUpdate = typeof TopicDocumentUpdate.Type

export const topicDocumentPaging = paging({
  sortable: ["topicDocumentID", "documentID", "relevanceScore", ...targetSortable],
  sortBy: "relevanceScore",
  sortOrder: "desc"
})

export const TopicDocumentsQuery = Query({
  ...topicDocumentPaging.query,
  ...targetFilters,
  documentId: changeable(idFromString(DocumentID)),
  isHook: changeable(QueryBoolean).annotations({
    description: "true: only mappings of hooks; false: only mappings of topics"
  })
})
export type TopicDocumentsQuery = typeof TopicDocumentsQuery.Type

export const TopicDocumentPage = Page("TopicDocumentPage", TopicDocument)
export type TopicDocumentPage = typeof TopicDocumentPage.Type

export class TopicDocumentsApi extends HttpApiGroup.make("topicDocuments")
  .add(
    HttpApiEndpoint.get("listTopicDocuments", "/api/TopicDocuments")
      .setUrlParams(TopicDocumentsQuery)
      .addSuccess(TopicDocumentPage)
      .annotateContext(
        OpenApi.annotations({
          summary: "List topic documents",
          description:
            "Most relevant first, mappings without a score last. With hookName, only documents linked to that hook."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getTopicDocument")`/api/TopicDocuments/${pathId(TopicDocumentID)}`
      .addSuccess(TopicDocument)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Read a topic document", description: "One mapping, with its ETag." })
      )
  )
  .add(
    HttpApiEndpoint.post("createTopicDocument", "/api/TopicDocuments")
      .setPayload(TopicDocumentCreate)
      .addSuccess(TopicDocument)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Link a document to a topic or hook",
          description:
            "Belongs to a topic (topicID) or to a hook (hookName, optionally with channelID or specialChannel). With the hookName All the document is part of the prompt of every message. The same mapping twice returns 409."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateTopicDocument")`/api/TopicDocuments/${pathId(TopicDocumentID)}`
      .setPayload(TopicDocumentUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a topic document",
          description:
            "Missing properties stay unchanged. To move a mapping from its topic to a hook, send the hookName and topicID null, and vice versa."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteTopicDocument")`/api/TopicDocuments/${pathId(TopicDocumentID)}`
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({ summary: "Delete a topic document", description: "The topic and the document are kept." })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({
      title: "Topic documents",
      description: "Which documents a topic or a hook adds to the prompt."
    })
  ) {}
