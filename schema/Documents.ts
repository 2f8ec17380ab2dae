import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ApiAuthentication, ApiToken, ApiUsername } from "./ApiAuthentication.ts"
import { ApiHeaders } from "./ApiHeaders.ts"
import { PhoneContext, TicketAccess } from "./Authentication.ts"
import { ignoresIdempotencyKey } from "./Conventions.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { BadGateway, NotFound } from "./Errors.ts"
import { anyCase, Body, clearable, Integer, Name, optional, Query, QueryBoolean, Text, TextUpTo } from "./Fields.ts"
import { HttpUrl } from "./HttpUrl.ts"
import { CustomerID, DocumentID, pathId } from "./Ids.ts"
import { NumberedPage, paging } from "./Paging.ts"

const text = Schema.NullOr(Schema.String)

const secret = text.annotations({ description: "******** if set, otherwise null" })

export class Document extends Schema.Class<Document>("Document")({
  documentID: DocumentID,
  customerID: CustomerID,
  name: Schema.String,
  description: text,
  content: text.annotations({ description: "May contain placeholders such as {{TopicList}}" }),
  isDataRetrievalProcess: Schema.Boolean,
  creationDate: Schema.DateTimeUtc,
  lastModifiedDate: Schema.DateTimeUtc,
  overrideApiBaseUrl: text,
  overrideApiUsername: text,
  overrideApiPassword: secret,
  overrideApiToken: secret,
  overrideApiAuthenticationType: text,
  apiEndpoint: text,
  apiMethod: text,
  apiHeaders: text,
  apiBodyTemplate: text
}) {}

/** A placeholder in the host would let a value choose where the credentials are sent. */
const isEndpoint = (endpoint: string) => {
  const origin = /^\s*([a-z][a-z0-9+.-]*:\/\/[^/?#\\]*)/i.exec(endpoint)?.[1]
  return origin === undefined || (!origin.includes("{{") && Schema.is(HttpUrl)(origin))
}

const Endpoint = TextUpTo(4096).pipe(
  Schema.filter(isEndpoint, {
    message: () =>
      "must be an http or https URL without credentials and without placeholders in its host, or relative to the base URL",
    jsonSchema: {}
  })
)

const written = {
  description: TextUpTo(10_000),
  content: Text,
  overrideApiBaseUrl: emptyAsNull(HttpUrl),
  overrideApiUsername: emptyAsNull(ApiUsername),
  overrideApiPassword: emptyAsNull(TextUpTo(4096)),
  overrideApiToken: emptyAsNull(ApiToken),
  overrideApiAuthenticationType: emptyAsNull(ApiAuthentication),
  apiEndpoint: emptyAsNull(Endpoint),
  apiMethod: emptyAsNull(anyCase(["GET", "POST", "PUT", "PATCH", "DELETE"])),
  apiHeaders: emptyAsNull(ApiHeaders),
  apiBodyTemplate: emptyAsNull(Text)
}

const required = {
  name: Name.annotations({ examples: ["House rules"] }),
  isDataRetrievalProcess: Schema.Boolean.annotations({
    description: "true for a data retrieval definition, false for a static document",
    examples: [false]
  })
}

export const DocumentCreate = Body("DocumentCreate", {
  ...required,
  description: optional(written.description),
  content: optional(written.content),
  overrideApiBaseUrl: optional(written.overrideApiBaseUrl),
  overrideApiUsername: optional(written.overrideApiUsername),
  overrideApiPassword: optional(written.overrideApiPassword),
  overrideApiToken: optional(written.overrideApiToken),
  overrideApiAuthenticationType: optional(written.overrideApiAuthenticationType),
  apiEndpoint: optional(written.apiEndpoint),
  apiMethod: optional(written.apiMethod),
  apiHeaders: optional(written.apiHeaders),
  apiBodyTemplate: optional(written.apiBodyTemplate)
})
export type DocumentCreate = typeof DocumentCreate.Type

export const DocumentUpdate = Body("DocumentUpdate", {
  ...required,
  description: clearable(written.description),
  content: clearable(written.content),
  overrideApiBaseUrl: clearable(written.overrideApiBaseUrl),
  overrideApiUsername: clearable(written.overrideApiUsername),
  overrideApiPassword: clearable(written.overrideApiPassword),
  overrideApiToken: clearable(written.overrideApiToken),
  overrideApiAuthenticationType: clearable(written.overrideApiAuthenticationType),
  apiEndpoint: clearable(written.apiEndpoint),
  apiMethod: clearable(written.apiMethod),
  apiHeaders: clearable(written.apiHeaders),
  apiBodyTemplate: clearable(written.apiBodyTemplate)
})
export type DocumentUpdate = typeof DocumentUpdate.Type

export const documentPaging = paging({
  sortable: [
    "documentID",
    "customerID",
    "name",
    "description",
    "content",
    "isDataRetrievalProcess",
    "creationDate",
    "lastModifiedDate",
    "overrideApiBaseUrl",
    "overrideApiUsername",
    "overrideApiPassword",
    "overrideApiToken",
    "overrideApiAuthenticationType",
    "apiEndpoint",
    "apiMethod",
    "apiHeaders",
    "apiBodyTemplate"
  ],
  sortBy: "name",
  pageSize: 20
})

export const DocumentsQuery = Query(documentPaging.query)
export type DocumentsQuery = typeof DocumentsQuery.Type

export const DocumentPage = NumberedPage("DocumentPage", Document)
export type DocumentPage = typeof DocumentPage.Type

export const DocumentQuery = Query({ replacePlaceholders: Schema.optionalWith(QueryBoolean, { exact: true }) })

const mostVariables = 1000

export const RetrievalRequest = Body("RetrievalRequest", {
  messageID: optional(Integer.annotations({ description: "A ticket message whose values also fill placeholders" })),
  variables: optional(
    Schema.Record({ key: Schema.String, value: Schema.Union(Text, Schema.Finite, Schema.Boolean) })
      .pipe(
        Schema.filter((variables) => Object.keys(variables).length <= mostVariables, {
          message: () => `must have at most ${mostVariables} names`,
          jsonSchema: { maxProperties: mostVariables }
        })
      )
      .annotations({ examples: [{ orderNumber: "A-1042" }] })
  ).annotations({ description: "Values for {{name}} placeholders of your own" })
})
export type RetrievalRequest = typeof RetrievalRequest.Type

export class Retrieval extends Schema.Class<Retrieval>("Retrieval")({
  status: Schema.Int.annotations({ description: "The status returned by the external API" }),
  contentType: text,
  body: Schema.String.annotations({ description: "The response body as text" }),
  durationMs: Schema.Int
}) {}

export class DocumentsApi extends HttpApiGroup.make("documents")
  .add(
    HttpApiEndpoint.get("listDocuments", "/api/Documents")
      .setUrlParams(DocumentsQuery)
      .addSuccess(DocumentPage)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "List documents",
          description: "The customer's documents, sorted by name. Sorting by a secret sorts by whether it is set."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getDocument")`/api/Documents/${pathId(DocumentID)}`
      .setUrlParams(DocumentQuery)
      .addSuccess(Document)
      .addError(NotFound)
      .middleware(PhoneContext)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read a document",
          description:
            "Also open to phone tokens. With replacePlaceholders=true the placeholders in the content are filled: {{TopicList}}, {{ChannelList}}, {{RepresentativeList}} (one line each, `- name: description`, the channel's type or the representative's email), {{CustomerName}}, {{Today}} and {{Now}} (UTC). Unknown placeholders are left unchanged. Content that is longer than 4,194,304 characters after filling returns 400."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("createDocument", "/api/Documents")
      .setPayload(DocumentCreate)
      .addSuccess(Document)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a document",
          description:
            "A static document has none of the override… and api… fields. A data retrieval document needs apiEndpoint, absolute or relative to overrideApiBaseUrl, else to the customer's apiBaseUrl."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateDocument")`/api/Documents/${pathId(DocumentID)}`
      .setPayload(DocumentUpdate)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a document",
          description:
            "name and isDataRetrievalProcess are required; other missing properties stay unchanged. ******** leaves a secret as it is. A document that becomes static loses its override… and api… fields."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteDocument")`/api/Documents/${pathId(DocumentID)}`
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete a document",
          description: "Its mappings to topics and hooks are deleted as well."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("retrieveDocument")`/api/Documents/${pathId(DocumentID)}/retrieve`
      .setPayload(RetrievalRequest)
      .addSuccess(Retrieval)
      .addError(NotFound)
      .addError(BadGateway)
      .middleware(TicketAccess)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        OpenApi.annotations({
          summary: "Run a data retrieval",
          description:
            "Calls the external API and returns its response, whatever its status. Placeholders are filled in the endpoint, the header values and the body, escaped for their context; variables take precedence over the built-in values. The body is sent as application/json unless apiHeaders has another Content-Type, and never with GET. Credentials are the document's, else the customer's, field by field; without an authentication type a token means Bearer and a username Basic; an Authorization in apiHeaders takes precedence over both. At most 5 redirects are followed, on the same host and port only. A static document, a text that is longer than 4,194,304 characters after filling, or an address that may not be called returns 400, and nothing is sent. An API that cannot be reached, takes more than 10 seconds or returns more than 1 MiB results in 502. Idempotency-Key is ignored."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({
      title: "Documents",
      description: "Static texts, and definitions of data retrieval from an external API."
    })
  ) {}
