import { HttpApi, OpenApi } from "@effect/platform"
import { ActionsApi } from "./Actions.ts"
import { AuthApi } from "./Auth.ts"
import { conventions } from "./Conventions.ts"
import { CustomersApi } from "./Customers.ts"
import { DocumentsApi } from "./Documents.ts"
import { BadRequest, InternalServerError } from "./Errors.ts"
import { HealthApi } from "./Health.ts"
import { HookActionsApi } from "./HookActions.ts"
import { PageTopicMappingsApi } from "./PageTopicMappings.ts"
import { RepresentativesApi } from "./Representatives.ts"
import { SignaturesApi } from "./Signatures.ts"
import { TopicActionsApi } from "./TopicActions.ts"
import { TopicDocumentsApi } from "./TopicDocuments.ts"
import { TopicsApi } from "./Topics.ts"

const description = `Customer-support automation as a JSON API. One customer is one organisation; nobody sees another's data.

**Start here.** \`POST /api/Auth/login\`, then send the token as \`Authorization: Bearer <token>\`.

**Names.** Paths, query parameters and JSON property names are matched without regard to case; a trailing slash does not matter. Routes listed without \`/api\` also answer with it. Unknown properties are ignored.

**Updates.** PUT changes only the properties that are present. Missing means leave, \`null\` means clear.

**Errors.** Every error has the body \`{ status, error, message, requestId }\`; a 400 adds \`details\` with every problem.

**Paging.** \`pageNumber\` from 1, \`pageSize\` 1 to 200, \`sortBy\` takes the field names of the resource, \`sortOrder\` asc or desc.

**Retries.** A POST with an \`Idempotency-Key\` is done once: the first successful answer is replayed for 24 hours.

**Concurrent changes.** Single resources carry an \`ETag\`. Send it back in \`If-Match\` on PUT and DELETE to be told (412) when somebody else was faster.`

/** The whole contract: server, OpenAPI, typed client and tests are derived from it. */
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
  .add(HealthApi)
  .annotateContext(OpenApi.annotations({ title: "Casework", version: "0.1.0", description }))
  .annotateContext(conventions) {}
