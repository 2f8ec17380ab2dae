import type { SqlClient, SqlError } from "@effect/sql"
import type { Effect } from "effect"
import foundation from "./0001_foundation.ts"
import knowledge from "./0002_knowledge.ts"
import tickets from "./0003_tickets.ts"
import ai from "./0004_ai.ts"
import mail from "./0005_mail.ts"
import places from "./0006_places.ts"
import automation from "./0007_automation.ts"
import hub from "./0008_hub.ts"
import mailboxTurns from "./0009_mailbox_turns.ts"
import traceParent from "./0010_trace_parent.ts"
import outboxOnce from "./0011_outbox_once.ts"
import dataRequests from "./0012_data_requests.ts"
import searchUpkeep from "./0013_search_upkeep.ts"
import jobRank from "./0014_job_rank.ts"
import mailboxPause from "./0015_mailbox_pause.ts"
import sharedSubscriptions from "./0016_shared_subscriptions.ts"
import activeTickets from "./0017_active_tickets.ts"
import quotes from "./0018_quotes.ts"
import phoneTokens from "./0019_phone_tokens.ts"
import sentTexts from "./0020_sent_texts.ts"
import removedCustomers from "./0021_removed_customers.ts"
import personsDrafts from "./0022_persons_drafts.ts"
import auditedEndUsers from "./0023_audited_end_users.ts"
import finishedJobs from "./0024_finished_jobs.ts"
import draftCalls from "./0025_draft_calls.ts"
import runsOfDeletedMessages from "./0026_runs_of_deleted_messages.ts"
import blobRemovals from "./0027_blob_removals.ts"
import waitingAnswers from "./0028_waiting_answers.ts"
import installation from "./0029_installation.ts"
import subscriptionsWithoutCase from "./0030_subscriptions_without_case.ts"
import jobLanes from "./0031_job_lanes.ts"
import mailsOfMessages from "./0032_mails_of_messages.ts"
import askedForResets from "./0033_asked_for_resets.ts"
import runsOfRooms from "./0034_runs_of_rooms.ts"
import auditedRepresentatives from "./0035_audited_representatives.ts"
import oneSigma from "./0036_one_sigma.ts"
import kindsOfSteps from "./0037_kinds_of_steps.ts"
import locatedFolders from "./0038_located_folders.ts"
import lastSenders from "./0039_last_senders.ts"
import visitorMails from "./0040_visitor_mails.ts"

/** Every migration in order. A test compares this list with the folder. */
export const migrations: Readonly<Record<string, Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>>> = {
  "0001_foundation": foundation,
  "0002_knowledge": knowledge,
  "0003_tickets": tickets,
  "0004_ai": ai,
  "0005_mail": mail,
  "0006_places": places,
  "0007_automation": automation,
  "0008_hub": hub,
  "0009_mailbox_turns": mailboxTurns,
  "0010_trace_parent": traceParent,
  "0011_outbox_once": outboxOnce,
  "0012_data_requests": dataRequests,
  "0013_search_upkeep": searchUpkeep,
  "0014_job_rank": jobRank,
  "0015_mailbox_pause": mailboxPause,
  "0016_shared_subscriptions": sharedSubscriptions,
  "0017_active_tickets": activeTickets,
  "0018_quotes": quotes,
  "0019_phone_tokens": phoneTokens,
  "0020_sent_texts": sentTexts,
  "0021_removed_customers": removedCustomers,
  "0022_persons_drafts": personsDrafts,
  "0023_audited_end_users": auditedEndUsers,
  "0024_finished_jobs": finishedJobs,
  "0025_draft_calls": draftCalls,
  "0026_runs_of_deleted_messages": runsOfDeletedMessages,
  "0027_blob_removals": blobRemovals,
  "0028_waiting_answers": waitingAnswers,
  "0029_installation": installation,
  "0030_subscriptions_without_case": subscriptionsWithoutCase,
  "0031_job_lanes": jobLanes,
  "0032_mails_of_messages": mailsOfMessages,
  "0033_asked_for_resets": askedForResets,
  "0034_runs_of_rooms": runsOfRooms,
  "0035_audited_representatives": auditedRepresentatives,
  "0036_one_sigma": oneSigma,
  "0037_kinds_of_steps": kindsOfSteps,
  "0038_located_folders": locatedFolders,
  "0039_last_senders": lastSenders,
  "0040_visitor_mails": visitorMails
}
