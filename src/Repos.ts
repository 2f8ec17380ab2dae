import { Layer } from "effect"
import { ActionsRepo } from "./actions/ActionsRepo.ts"
import { AiRunsRepo } from "./ai/AiRunsRepo.ts"
import { AuthRepo } from "./auth/AuthRepo.ts"
import { MappedActionsRepo } from "./automation/MappedActionsRepo.ts"
import { PipelineRepo } from "./automation/PipelineRepo.ts"
import { RunsRepo } from "./automation/RunsRepo.ts"
import { TargetsRepo } from "./automation/TargetsRepo.ts"
import { TraceRepo } from "./automation/TraceRepo.ts"
import { ChannelFoldersRepo } from "./channels/ChannelFoldersRepo.ts"
import { ChannelsRepo } from "./channels/ChannelsRepo.ts"
import { ChannelTranslationsRepo } from "./channels/ChannelTranslationsRepo.ts"
import { CustomerProfileRepo } from "./customers/CustomerProfileRepo.ts"
import { ModelsRepo } from "./customers/ModelsRepo.ts"
import { RecipientsRepo } from "./delivery/RecipientsRepo.ts"
import { DocumentsRepo } from "./documents/DocumentsRepo.ts"
import { MessageContextsRepo } from "./documents/MessageContextsRepo.ts"
import { PlaceholderRepo } from "./documents/PlaceholderRepo.ts"
import { DataRequestsRepo } from "./endUsers/DataRequestsRepo.ts"
import { EndUsersRepo } from "./endUsers/EndUsersRepo.ts"
import { SendersRepo } from "./endUsers/SendersRepo.ts"
import { AttachmentsRepo } from "./files/AttachmentsRepo.ts"
import { HistorySummariesRepo } from "./historySummaries/HistorySummariesRepo.ts"
import { HookActionsRepo } from "./hooks/HookActionsRepo.ts"
import { ChatsRepo } from "./hub/ChatsRepo.ts"
import { HubEventsRepo } from "./hub/HubEventsRepo.ts"
import { JobProgressRepo } from "./jobs/JobProgressRepo.ts"
import { FailedMailsRepo } from "./mail/FailedMailsRepo.ts"
import { HeldSubscriptionsRepo } from "./mail/HeldSubscriptionsRepo.ts"
import { MailFoldersRepo } from "./mail/MailFoldersRepo.ts"
import { MailMessagesRepo } from "./mail/MailMessagesRepo.ts"
import { SentMailsRepo } from "./mail/SentMailsRepo.ts"
import { WaitingMailsRepo } from "./mail/WaitingMailsRepo.ts"
import { PlacesRepos } from "./places/PlacesServices.ts"
import { PresenceRepo } from "./representatives/PresenceRepo.ts"
import { RepresentativesRepo } from "./representatives/RepresentativesRepo.ts"
import { SignaturesRepo } from "./representatives/SignaturesRepo.ts"
import { ChatAnswersRepo } from "./sending/ChatAnswersRepo.ts"
import { OutboundRepo } from "./sending/OutboundRepo.ts"
import { SentTextsRepo } from "./sending/SentTextsRepo.ts"
import { AgentJoinsRepo } from "./ticketMessages/AgentJoinsRepo.ts"
import { DetectionMaterialRepo } from "./ticketMessages/DetectionMaterialRepo.ts"
import { DraftCallsRepo } from "./ticketMessages/DraftCallsRepo.ts"
import { FeedbackRepo } from "./ticketMessages/FeedbackRepo.ts"
import { MessageHistoryRepo } from "./ticketMessages/MessageHistoryRepo.ts"
import { MessageListRepo } from "./ticketMessages/MessageListRepo.ts"
import { MessageTopicsRepo } from "./ticketMessages/MessageTopicsRepo.ts"
import { OpeningsRepo } from "./ticketMessages/OpeningsRepo.ts"
import { PromptDocumentsRepo } from "./ticketMessages/PromptDocumentsRepo.ts"
import { TicketMessagesRepo } from "./ticketMessages/TicketMessagesRepo.ts"
import { TicketListRepo } from "./tickets/TicketListRepo.ts"
import { TicketsRepo } from "./tickets/TicketsRepo.ts"
import { PageTopicMappingsRepo } from "./topics/PageTopicMappingsRepo.ts"
import { TopicActionsRepo } from "./topics/TopicActionsRepo.ts"
import { TopicDocumentsRepo } from "./topics/TopicDocumentsRepo.ts"
import { TopicsRepo } from "./topics/TopicsRepo.ts"

/** The repos of the features. Services that all features share, such as the audit log, provide their own repo. */
export const Repos = Layer.mergeAll(
  AgentJoinsRepo.layer,
  ChatsRepo.layer,
  HubEventsRepo.layer,
  PresenceRepo.layer,
  MappedActionsRepo.layer,
  PipelineRepo.layer,
  RunsRepo.layer,
  TargetsRepo.layer,
  TraceRepo.layer,
  AttachmentsRepo.layer,
  DataRequestsRepo.layer,
  EndUsersRepo.layer,
  SendersRepo.layer,
  FeedbackRepo.layer,
  DetectionMaterialRepo.layer,
  DraftCallsRepo.layer,
  HistorySummariesRepo.layer,
  MessageContextsRepo.layer,
  MessageHistoryRepo.layer,
  MessageListRepo.layer,
  MessageTopicsRepo.layer,
  OpeningsRepo.layer,
  OutboundRepo.layer,
  PromptDocumentsRepo.layer,
  RecipientsRepo.layer,
  ChatAnswersRepo.layer,
  SentTextsRepo.layer,
  TicketListRepo.layer,
  TicketMessagesRepo.layer,
  TicketsRepo.layer,
  DocumentsRepo.layer,
  PlaceholderRepo.layer,
  FailedMailsRepo.layer,
  SentMailsRepo.layer,
  WaitingMailsRepo.layer,
  HeldSubscriptionsRepo.layer,
  MailFoldersRepo.layer,
  MailMessagesRepo.layer,
  JobProgressRepo.layer,
  ChannelsRepo.layer,
  ChannelFoldersRepo.layer,
  ChannelTranslationsRepo.layer,
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
  AiRunsRepo.layer,
  PlacesRepos,
  AuthRepo.layer
)
