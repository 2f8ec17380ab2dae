import { HttpApiBuilder } from "@effect/platform"
import { Layer } from "effect"
import { CaseworkApi } from "../schema/Api.ts"
import { Actions } from "./actions/Actions.ts"
import { ActionsHttp } from "./actions/ActionsHttp.ts"
import { ActionsRepo } from "./actions/ActionsRepo.ts"
import { AuditLog } from "./auth/AuditLog.ts"
import { Auth } from "./auth/Auth.ts"
import { AuthHttp } from "./auth/AuthHttp.ts"
import { AuthRepo } from "./auth/AuthRepo.ts"
import { PasswordHasher } from "./auth/PasswordHasher.ts"
import { PasswordResetJob } from "./auth/PasswordReset.ts"
import { PoliciesLive } from "./auth/Policies.ts"
import { Revocations } from "./auth/Revocations.ts"
import { Throttle } from "./auth/Throttle.ts"
import { Tokens } from "./auth/Tokens.ts"
import { ChannelsRepo } from "./channels/ChannelsRepo.ts"
import { CustomerProfileRepo } from "./customers/CustomerProfileRepo.ts"
import { CustomerSettings } from "./customers/CustomerSettings.ts"
import { Customers } from "./customers/Customers.ts"
import { CustomersHttp } from "./customers/CustomersHttp.ts"
import { ModelsRepo } from "./customers/ModelsRepo.ts"
import { DataRetrieval } from "./documents/DataRetrieval.ts"
import { Documents } from "./documents/Documents.ts"
import { DocumentsHttp } from "./documents/DocumentsHttp.ts"
import { DocumentsRepo } from "./documents/DocumentsRepo.ts"
import { PlaceholderRepo } from "./documents/PlaceholderRepo.ts"
import { PlaceholderValues } from "./documents/PlaceholderValues.ts"
import { HealthHttp } from "./health/HealthHttp.ts"
import { Readiness } from "./health/Readiness.ts"
import { HookActions } from "./hooks/HookActions.ts"
import { HookActionsHttp } from "./hooks/HookActionsHttp.ts"
import { HookActionsRepo } from "./hooks/HookActionsRepo.ts"
import { Housekeeping } from "./platform/Housekeeping.ts"
import { Jobs } from "./platform/Jobs.ts"
import { GuardedHttpClient } from "./platform/Outbound.ts"
import { Outbox } from "./platform/Outbox.ts"
import { Secrets } from "./platform/Secrets.ts"
import { Representatives } from "./representatives/Representatives.ts"
import { RepresentativesHttp } from "./representatives/RepresentativesHttp.ts"
import { RepresentativesRepo } from "./representatives/RepresentativesRepo.ts"
import { Signatures } from "./representatives/Signatures.ts"
import { SignaturesHttp } from "./representatives/SignaturesHttp.ts"
import { SignaturesRepo } from "./representatives/SignaturesRepo.ts"
import { PageTopicMappings } from "./topics/PageTopicMappings.ts"
import { PageTopicMappingsHttp } from "./topics/PageTopicMappingsHttp.ts"
import { PageTopicMappingsRepo } from "./topics/PageTopicMappingsRepo.ts"
import { TopicActions } from "./topics/TopicActions.ts"
import { TopicActionsHttp } from "./topics/TopicActionsHttp.ts"
import { TopicActionsRepo } from "./topics/TopicActionsRepo.ts"
import { TopicDocuments } from "./topics/TopicDocuments.ts"
import { TopicDocumentsHttp } from "./topics/TopicDocumentsHttp.ts"
import { TopicDocumentsRepo } from "./topics/TopicDocumentsRepo.ts"
import { Topics } from "./topics/Topics.ts"
import { TopicsHttp } from "./topics/TopicsHttp.ts"
import { TopicsRepo } from "./topics/TopicsRepo.ts"

const Repos = Layer.mergeAll(
  DocumentsRepo.layer,
  PlaceholderRepo.layer,
  ChannelsRepo.layer,
  HookActionsRepo.layer,
  PageTopicMappingsRepo.layer,
  TopicActionsRepo.layer,
  TopicDocumentsRepo.layer,
  TopicsRepo.layer,
  CustomerProfileRepo.layer,
  ModelsRepo.layer,
  RepresentativesRepo.layer,
  SignaturesRepo.layer,
  ActionsRepo.layer,
  AuthRepo.layer
)

const Platform = Layer.mergeAll(
  GuardedHttpClient.layer,
  CustomerSettings.layer.pipe(Layer.provide(CustomerProfileRepo.layer), Layer.provide(Secrets.layer)),
  AuditLog.layer,
  Jobs.layer,
  Outbox.layer.pipe(Layer.provideMerge(Secrets.layer)),
  PasswordHasher.layer,
  Throttle.layer,
  Tokens.layer.pipe(Layer.provideMerge(Revocations.layer))
)

const Services = Layer.mergeAll(
  Documents.layer.pipe(Layer.provideMerge(DataRetrieval.layer), Layer.provideMerge(PlaceholderValues.layer)),
  HookActions.layer,
  PageTopicMappings.layer,
  TopicActions.layer,
  TopicDocuments.layer,
  Topics.layer,
  Customers.layer,
  Representatives.layer,
  Signatures.layer,
  Actions.layer,
  Auth.layer,
  Readiness.layer
)

const Groups = Layer.mergeAll(
  DocumentsHttp,
  HookActionsHttp,
  PageTopicMappingsHttp,
  TopicActionsHttp,
  TopicDocumentsHttp,
  TopicsHttp,
  CustomersHttp,
  RepresentativesHttp,
  SignaturesHttp,
  ActionsHttp,
  AuthHttp,
  HealthHttp
)

const Background = Layer.mergeAll(PasswordResetJob, Housekeeping)

/** All features. What is left open are the ports: Settings, the database and the Mailer. */
export const AppLive = HttpApiBuilder.api(CaseworkApi).pipe(
  Layer.provide(Groups),
  Layer.provide(PoliciesLive),
  Layer.provide(Services),
  Layer.merge(Background),
  Layer.provideMerge(Layer.mergeAll(Repos, Platform))
)
