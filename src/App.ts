import { HttpApiBuilder } from "@effect/platform"
import { Effect, Layer } from "effect"
import { CaseworkApi } from "../schema/Api.ts"
import { Actions } from "./actions/Actions.ts"
import { AiServices } from "./ai/AiServices.ts"
import { Attachments } from "./attachments/Attachments.ts"
import { AuditLog } from "./auth/AuditLog.ts"
import { Auth } from "./auth/Auth.ts"
import { PasswordHasher } from "./auth/PasswordHasher.ts"
import { PasswordResetJob } from "./auth/PasswordReset.ts"
import { PoliciesLive } from "./auth/Policies.ts"
import { Revocations } from "./auth/Revocations.ts"
import { Throttle } from "./auth/Throttle.ts"
import { Tokens } from "./auth/Tokens.ts"
import { ActionEffects } from "./automation/ActionEffects.ts"
import { ActionRunner } from "./automation/ActionRunner.ts"
import { Automation } from "./automation/Automation.ts"
import { NotificationMailJob } from "./automation/NotificationMail.ts"
import { PipelineJob } from "./automation/Pipeline.ts"
import { RunActionsJob } from "./automation/RunActions.ts"
import { ChannelFolders } from "./channels/ChannelFolders.ts"
import { Channels } from "./channels/Channels.ts"
import { ChannelTranslations } from "./channels/ChannelTranslations.ts"
import { CustomerProfileRepo } from "./customers/CustomerProfileRepo.ts"
import { CustomerSettings } from "./customers/CustomerSettings.ts"
import { Customers } from "./customers/Customers.ts"
import { DeliveryLive } from "./DeliveryLive.ts"
import { DataRights } from "./dataRights/DataRights.ts"
import { DataRightsWork } from "./dataRights/DataRightsWork.ts"
import { Deliveries } from "./delivery/Deliveries.ts"
import { DataRetrieval } from "./documents/DataRetrieval.ts"
import { Documents } from "./documents/Documents.ts"
import { PlaceholderValues } from "./documents/PlaceholderValues.ts"
import { Files } from "./downloads/Files.ts"
import { EndUsers } from "./endUsers/EndUsers.ts"
import { Broadcast } from "./events/Broadcast.ts"
import { Events } from "./events/Events.ts"
import { BlobSweep } from "./files/BlobSweep.ts"
import { Blobs } from "./files/Blobs.ts"
import { BlobsRepo } from "./files/BlobsRepo.ts"
import { SpoolSweep } from "./files/Spool.ts"
import { Groups } from "./Groups.ts"
import { Housekeeping } from "./Housekeeping.ts"
import { Readiness } from "./health/Readiness.ts"
import { WorkSamples } from "./health/WorkSamples.ts"
import { HistorySummaries } from "./historySummaries/HistorySummaries.ts"
import { HookActions } from "./hooks/HookActions.ts"
import { HubLive } from "./hub/HubLive.ts"
import { JobProgress } from "./jobs/JobProgress.ts"
import { DraftJobs } from "./mail/DraftJobs.ts"
import { FolderSubscriptionsLive } from "./mail/FolderSubscriptionsLive.ts"
import { ImportJobs } from "./mail/ImportJobs.ts"
import { Mailboxes } from "./mail/Mailboxes.ts"
import { MailFiles } from "./mail/MailFiles.ts"
import { MailFolders } from "./mail/MailFolders.ts"
import { MailImport } from "./mail/MailImport.ts"
import { MailRetrievalLive } from "./mail/MailRetrievalLive.ts"
import { MicrosoftGraph } from "./mail/MicrosoftGraph.ts"
import { Notifications } from "./mail/Notifications.ts"
import { PoisonMail } from "./mail/PoisonMail.ts"
import { SubscriptionJobs } from "./mail/SubscriptionJobs.ts"
import { Subscriptions } from "./mail/Subscriptions.ts"
import { SystemMailLive } from "./mail/SystemMailLive.ts"
import { UnsentDraftsLive } from "./mail/UnsentDraftsLive.ts"
import { PlacesServices } from "./places/PlacesServices.ts"
import { Stopping } from "./platform/concurrency/Stopping.ts"
import { GuardedHttpClient } from "./platform/outbound/Outbound.ts"
import { Jobs } from "./platform/queue/Jobs.ts"
import { Secrets } from "./platform/secrets/Secrets.ts"
import { Settings } from "./platform/settings/Settings.ts"
import { Outbox } from "./platform/systemMail/Outbox.ts"
import { ProcessSamples } from "./platform/telemetry/ProcessSamples.ts"
import { Repos } from "./Repos.ts"
import { ReplySignatures } from "./representatives/ReplySignatures.ts"
import { Representatives } from "./representatives/Representatives.ts"
import { Signatures } from "./representatives/Signatures.ts"
import { DeliverMessageJob } from "./sending/DeliverMessage.ts"
import { FollowTextJob } from "./sending/FollowText.ts"
import { VisitorMailJob } from "./sending/VisitorMail.ts"
import { Telephony } from "./telephony/Telephony.ts"
import { AgentJoins } from "./ticketMessages/AgentJoins.ts"
import { DraftReplies } from "./ticketMessages/DraftReplies.ts"
import { EscalationMailJob } from "./ticketMessages/EscalationMail.ts"
import { Escalations } from "./ticketMessages/Escalations.ts"
import { Feedbacks } from "./ticketMessages/Feedbacks.ts"
import { MessageAccess } from "./ticketMessages/MessageAccess.ts"
import { NewMessages } from "./ticketMessages/NewMessages.ts"
import { PromptDocuments } from "./ticketMessages/PromptDocuments.ts"
import { Replies } from "./ticketMessages/Replies.ts"
import { TicketMessages } from "./ticketMessages/TicketMessages.ts"
import { TopicDetections } from "./ticketMessages/TopicDetections.ts"
import { TicketChanges } from "./tickets/TicketChanges.ts"
import { Tickets } from "./tickets/Tickets.ts"
import { TicketTallyFolding } from "./tickets/TicketTallyFolding.ts"
import { PageTopicMappings } from "./topics/PageTopicMappings.ts"
import { TopicActions } from "./topics/TopicActions.ts"
import { TopicDocuments } from "./topics/TopicDocuments.ts"
import { Topics } from "./topics/Topics.ts"
import { Translations } from "./translations/Translations.ts"

const Platform = Layer.mergeAll(
  ProcessSamples,
  WorkSamples,
  Telephony.layer,
  Mailboxes.layer.pipe(
    Layer.provide(CustomerSettings.layer),
    Layer.provide(CustomerProfileRepo.layer),
    Layer.provide(Secrets.layer)
  ),
  MicrosoftGraph.pipe(Layer.provideMerge(GuardedHttpClient.layer)),
  CustomerSettings.layer.pipe(Layer.provide(CustomerProfileRepo.layer), Layer.provide(Secrets.layer)),
  AuditLog.layer,
  Layer.merge(Blobs.layer.pipe(Layer.provide(BlobsRepo.layer)), Events.layer).pipe(
    Layer.provideMerge(Layer.merge(Jobs.layer, Broadcast.layer))
  ),
  Outbox.layer.pipe(Layer.provideMerge(Secrets.layer)),
  PasswordHasher.layer,
  Throttle.layer,
  Tokens.layer.pipe(Layer.provideMerge(Revocations.layer))
).pipe(Layer.provideMerge(Stopping.layer))

/** Tickets and their messages, from the shared rules up to the services that the routes call. */
const TicketServices = Layer.mergeAll(
  DraftReplies.layer.pipe(Layer.provideMerge(PromptDocuments.layer)),
  Attachments.layer,
  Escalations.layer,
  Feedbacks.layer,
  HistorySummaries.layer,
  Replies.layer,
  TopicDetections.layer,
  TicketMessages.layer,
  Tickets.layer
).pipe(
  Layer.provideMerge(NewMessages.layer),
  Layer.provideMerge(EndUsers.layer),
  Layer.provideMerge(Layer.mergeAll(AgentJoins.layer, Deliveries.layer, MessageAccess.layer, TicketChanges.layer)),
  Layer.provideMerge(Layer.merge(DeliveryLive, UnsentDraftsLive)),
  Layer.provideMerge(ReplySignatures.layer)
)

/** Channels, and how their mail becomes tickets. */
const MailServices = Layer.mergeAll(
  Channels.layer,
  ChannelFolders.layer,
  ChannelTranslations.layer,
  MailImport.layer,
  MailRetrievalLive,
  Notifications.layer,
  PoisonMail.layer,
  SystemMailLive
).pipe(
  Layer.provideMerge(FolderSubscriptionsLive),
  Layer.provideMerge(Subscriptions.layer),
  Layer.provideMerge(Layer.mergeAll(MailFiles.layer, MailFolders.layer)),
  Layer.provideMerge(TicketServices)
)

const Services = Layer.mergeAll(
  Layer.mergeAll(
    Documents.layer,
    Automation.layer.pipe(Layer.provideMerge(ActionRunner.layer), Layer.provide(ActionEffects.layer))
  ).pipe(
    Layer.provideMerge(MailServices),
    Layer.provideMerge(DataRetrieval.layer),
    Layer.provideMerge(PlaceholderValues.layer)
  ),
  Files.layer,
  DataRights.layer,
  JobProgress.layer,
  Translations.layer,
  PlacesServices.pipe(Layer.provide(PlaceholderValues.layer)),
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
).pipe(Layer.provideMerge(AiServices))

const Work = Layer.mergeAll(
  DataRightsWork,
  NotificationMailJob,
  PipelineJob,
  RunActionsJob,
  TicketTallyFolding,
  DeliverMessageJob,
  DraftJobs,
  EscalationMailJob,
  FollowTextJob,
  ImportJobs,
  PasswordResetJob,
  SubscriptionJobs,
  VisitorMailJob,
  Housekeeping,
  BlobSweep
)

/** A node with the role "web" only serves requests and leaves background jobs to the other nodes. */
const Background = Layer.unwrapEffect(Effect.map(Settings, ({ role }) => (role === "web" ? Layer.empty : Work)))

/** Drains jobs before the services they use are closed, because sibling layers close at the same time. */
const EndOfWork = Layer.scopedDiscard(Effect.flatMap(Jobs, ({ drain }) => Effect.addFinalizer(() => drain)))

/** All features. Only the ports are left to provide: Settings, the database, the BlobStore and the Mailer. */
export const AppLive = HttpApiBuilder.api(CaseworkApi).pipe(
  Layer.provide(Groups),
  Layer.provide(PoliciesLive),
  Layer.merge(Layer.mergeAll(Background, HubLive, EndOfWork, SpoolSweep)),
  Layer.provide(Services),
  Layer.provideMerge(Layer.mergeAll(Repos, Platform))
)
