import { HttpApi, OpenApi } from "@effect/platform"
import { ActionsApi } from "./Actions.ts"
import { AiRunsApi } from "./AiRuns.ts"
import { AuthApi } from "./Auth.ts"
import { AutomationApi } from "./Automation.ts"
import { ChannelFoldersApi } from "./ChannelFolders.ts"
import { ChannelsApi } from "./Channels.ts"
import { ChannelTranslationsApi } from "./ChannelTranslations.ts"
import { conventions } from "./Conventions.ts"
import { CustomersApi } from "./Customers.ts"
import { DataRightsApi } from "./DataRights.ts"
import { DocumentsApi } from "./Documents.ts"
import { EndUsersApi } from "./EndUsers.ts"
import { BadRequest, InternalServerError } from "./Errors.ts"
import { FilesApi } from "./Files.ts"
import { HealthApi } from "./Health.ts"
import { HookActionsApi } from "./HookActions.ts"
import { hubDescription } from "./Hub.ts"
import { JobsApi } from "./Jobs.ts"
import { MailWebhookApi } from "./MailWebhook.ts"
import { PageTopicMappingsApi } from "./PageTopicMappings.ts"
import { PlaceDescriptionPhotosApi } from "./PlaceDescriptionPhotos.ts"
import { PlaceDescriptionReportsApi } from "./PlaceDescriptionReports.ts"
import { PlaceDescriptionRoomsApi } from "./PlaceDescriptionRooms.ts"
import { RepresentativesApi } from "./Representatives.ts"
import { SignaturesApi } from "./Signatures.ts"
import { TicketMessageAttachmentsApi } from "./TicketMessageAttachments.ts"
import { FeedbackApi, TicketMessagesApi, TicketMessagesOnPhoneApi } from "./TicketMessagesApi.ts"
import { TicketSummariesApi } from "./TicketSummaries.ts"
import { TicketsApi } from "./Tickets.ts"
import { TopicActionsApi } from "./TopicActions.ts"
import { TopicDocumentsApi } from "./TopicDocuments.ts"
import { TopicsApi } from "./Topics.ts"
import { TranslationsApi } from "./Translations.ts"

const description = `Customer-support automation as a JSON API. One customer is one organisation; nobody sees another's data.

**Start here.** \`POST /api/Auth/login\`, then send the token as \`Authorization: Bearer <token>\`.

**Names.** Paths, query parameters and JSON property names are matched without regard to case; a trailing slash does not matter. Routes listed without \`/api\` also work with it. Unknown properties are ignored.

**Updates.** PUT changes only the properties that are present. A missing property is left unchanged, \`null\` clears it.

**Errors.** Every error has the body \`{ status, error, message, requestId }\`; a 400 adds \`details\` with every problem.

**Paging.** \`pageNumber\` from 1, \`pageSize\` 1 to 200, \`sortBy\` takes the field names of the resource, \`sortOrder\` asc or desc.

**Retries.** A POST with an \`Idempotency-Key\` is carried out once: the first successful response is replayed for 24 hours.

**Concurrent changes.** Single resources carry an \`ETag\`. Send it back in \`If-Match\` on PUT and DELETE to get a 412 if the resource has been changed in the meantime.

**Limits.** Responses carry \`RateLimit-Policy\` and \`RateLimit\`. Beyond the limit every route returns 429 with \`Retry-After\`. While the database is unavailable every route returns 503, and so do routes that read or write files while the file store is unavailable.

${hubDescription}`

/** The whole contract, from which the server, OpenAPI, the typed client and the tests are derived. */
export class CaseworkApi extends HttpApi.make("casework")
  .addError(BadRequest)
  .addError(InternalServerError)
  .add(AuthApi)
  .add(ActionsApi)
  .add(TopicsApi)
  .add(TopicActionsApi)
  .add(TopicDocumentsApi)
  .add(PageTopicMappingsApi)
  .add(HookActionsApi)
  .add(CustomersApi)
  .add(RepresentativesApi)
  .add(SignaturesApi)
  .add(DocumentsApi)
  .add(TicketsApi)
  .add(TicketSummariesApi)
  .add(TicketMessagesApi)
  .add(TicketMessagesOnPhoneApi)
  .add(FeedbackApi)
  .add(EndUsersApi)
  .add(DataRightsApi)
  .add(ChannelFoldersApi)
  .add(ChannelTranslationsApi)
  .add(MailWebhookApi)
  .add(ChannelsApi)
  .add(JobsApi)
  .add(TicketMessageAttachmentsApi)
  .add(FilesApi)
  .add(TranslationsApi)
  .add(AiRunsApi)
  .add(AutomationApi)
  .add(PlaceDescriptionReportsApi)
  .add(PlaceDescriptionRoomsApi)
  .add(PlaceDescriptionPhotosApi)
  .add(HealthApi)
  .annotateContext(OpenApi.annotations({ title: "Casework", version: "0.1.0", description, servers: [{ url: "/" }] }))
  .annotateContext(conventions) {}
