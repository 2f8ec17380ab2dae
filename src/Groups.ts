import { Layer } from "effect"
import {
  AdminAccess,
  MetricsAccess,
  PhoneContext,
  PlatformAccess,
  ReportAccess,
  TicketAccess
} from "../schema/Authentication.ts"
import { Actions } from "./actions/Actions.ts"
import { ActionsHttp } from "./actions/ActionsHttp.ts"
import { AiRuns } from "./ai/AiRuns.ts"
import { AiRunsHttp } from "./ai/AiRunsHttp.ts"
import { Attachments } from "./attachments/Attachments.ts"
import { AttachmentsHttp } from "./attachments/AttachmentsHttp.ts"
import { Auth } from "./auth/Auth.ts"
import { AuthHttp } from "./auth/AuthHttp.ts"
import { Automation } from "./automation/Automation.ts"
import { AutomationHttp } from "./automation/AutomationHttp.ts"
import { ChannelFolders } from "./channels/ChannelFolders.ts"
import { ChannelFoldersHttp } from "./channels/ChannelFoldersHttp.ts"
import { Channels } from "./channels/Channels.ts"
import { ChannelsHttp } from "./channels/ChannelsHttp.ts"
import { ChannelTranslations } from "./channels/ChannelTranslations.ts"
import { ChannelTranslationsHttp } from "./channels/ChannelTranslationsHttp.ts"
import { MailRetrieval } from "./channels/MailRetrieval.ts"
import { Customers } from "./customers/Customers.ts"
import { CustomersHttp } from "./customers/CustomersHttp.ts"
import { DataRights } from "./dataRights/DataRights.ts"
import { DataRightsHttp } from "./dataRights/DataRightsHttp.ts"
import { Documents } from "./documents/Documents.ts"
import { DocumentsHttp } from "./documents/DocumentsHttp.ts"
import { Files } from "./downloads/Files.ts"
import { FilesHttp } from "./downloads/FilesHttp.ts"
import { EndUsers } from "./endUsers/EndUsers.ts"
import { EndUsersHttp } from "./endUsers/EndUsersHttp.ts"
import { HealthHttp } from "./health/HealthHttp.ts"
import { Readiness } from "./health/Readiness.ts"
import { HistorySummaries } from "./historySummaries/HistorySummaries.ts"
import { HistorySummariesHttp } from "./historySummaries/HistorySummariesHttp.ts"
import { HookActions } from "./hooks/HookActions.ts"
import { HookActionsHttp } from "./hooks/HookActionsHttp.ts"
import { JobProgress } from "./jobs/JobProgress.ts"
import { JobsHttp } from "./jobs/JobsHttp.ts"
import { MailWebhookHttp } from "./mail/MailWebhookHttp.ts"
import { Notifications } from "./mail/Notifications.ts"
import { Photos } from "./places/Photos.ts"
import { PhotosHttp } from "./places/PhotosHttp.ts"
import { ReportExport } from "./places/ReportExport.ts"
import { Reports } from "./places/Reports.ts"
import { ReportsHttp } from "./places/ReportsHttp.ts"
import { Rooms } from "./places/Rooms.ts"
import { RoomsHttp } from "./places/RoomsHttp.ts"
import { Transform } from "./places/Transform.ts"
import { keeping, type Tags } from "./platform/LeanContext.ts"
import { Settings } from "./platform/settings/Settings.ts"
import { Representatives } from "./representatives/Representatives.ts"
import { RepresentativesHttp } from "./representatives/RepresentativesHttp.ts"
import { Signatures } from "./representatives/Signatures.ts"
import { SignaturesHttp } from "./representatives/SignaturesHttp.ts"
import { Escalations } from "./ticketMessages/Escalations.ts"
import { Feedbacks } from "./ticketMessages/Feedbacks.ts"
import { PromptDocuments } from "./ticketMessages/PromptDocuments.ts"
import { Replies } from "./ticketMessages/Replies.ts"
import { TicketMessages } from "./ticketMessages/TicketMessages.ts"
import { FeedbackHttp, TicketMessagesHttp, TicketMessagesOnPhoneHttp } from "./ticketMessages/TicketMessagesHttp.ts"
import { TopicDetections } from "./ticketMessages/TopicDetections.ts"
import { Tickets } from "./tickets/Tickets.ts"
import { TicketsHttp } from "./tickets/TicketsHttp.ts"
import { PageTopicMappings } from "./topics/PageTopicMappings.ts"
import { PageTopicMappingsHttp } from "./topics/PageTopicMappingsHttp.ts"
import { TopicActions } from "./topics/TopicActions.ts"
import { TopicActionsHttp } from "./topics/TopicActionsHttp.ts"
import { TopicDocuments } from "./topics/TopicDocuments.ts"
import { TopicDocumentsHttp } from "./topics/TopicDocumentsHttp.ts"
import { Topics } from "./topics/Topics.ts"
import { TopicsHttp } from "./topics/TopicsHttp.ts"
import { Translations } from "./translations/Translations.ts"
import { TranslationsHttp } from "./translations/TranslationsHttp.ts"

/** The policies that a route may name. */
const policies = [AdminAccess, MetricsAccess, PhoneContext, PlatformAccess, ReportAccess, TicketAccess] as const

type Policies = readonly [AdminAccess, MetricsAccess, PhoneContext, PlatformAccess, ReportAccess, TicketAccess]

const group = <ROut, E, const Needed extends ReadonlyArray<unknown>>(
  layer: Layer.Layer<ROut, E, (readonly [...Policies, ...Needed])[number]>,
  ...tags: Tags<Needed>
) => keeping<ROut, E, readonly [...Policies, ...Needed]>(layer, ...policies, ...tags)

/** Each group of routes with the services it needs. */
export const Groups = Layer.mergeAll(
  group(AutomationHttp, Automation),
  group(FeedbackHttp, Feedbacks),
  group(TicketMessagesHttp, TicketMessages, Replies, Escalations),
  group(TicketMessagesOnPhoneHttp, TicketMessages, PromptDocuments, TopicDetections),
  group(TicketsHttp, Tickets),
  group(AttachmentsHttp, Attachments),
  group(FilesHttp, Files),
  group(HistorySummariesHttp, HistorySummaries),
  group(EndUsersHttp, EndUsers, Tickets),
  group(DataRightsHttp, DataRights),
  group(DocumentsHttp, Documents),
  group(JobsHttp, JobProgress),
  group(MailWebhookHttp, MailRetrieval, Notifications),
  group(ChannelsHttp, Channels, MailRetrieval),
  group(ChannelFoldersHttp, ChannelFolders),
  group(ChannelTranslationsHttp, ChannelTranslations),
  group(HookActionsHttp, HookActions),
  group(PageTopicMappingsHttp, PageTopicMappings),
  group(TopicActionsHttp, TopicActions),
  group(TopicDocumentsHttp, TopicDocuments),
  group(TopicsHttp, Topics),
  group(CustomersHttp, Customers),
  group(RepresentativesHttp, Representatives),
  group(SignaturesHttp, Signatures),
  group(ActionsHttp, Actions),
  group(AiRunsHttp, AiRuns),
  group(TranslationsHttp, Translations),
  group(ReportsHttp, Reports, ReportExport),
  group(RoomsHttp, Rooms, Transform),
  group(PhotosHttp, Photos),
  group(AuthHttp, Auth, Settings),
  group(HealthHttp, Readiness)
)
