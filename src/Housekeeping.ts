import { attemptRetention } from "./auth/AttemptsRepo.ts"
import { passwordResetRetention } from "./auth/AuthRepo.ts"
import { removedCustomerRetention } from "./auth/RevocationsRepo.ts"
import { mailboxRetentions } from "./mail/MailboxTurnsRepo.ts"
import { idempotencyRetention } from "./platform/http/KeptAnswers.ts"
import { jobRetention } from "./platform/queue/JobsRepo.ts"
import { removingOld } from "./platform/queue/Retention.ts"
import { outboxRetention } from "./platform/systemMail/Outbox.ts"
import { presenceRetention } from "./representatives/PresenceRepo.ts"
import { draftCallRetention } from "./ticketMessages/DraftCallsRepo.ts"

/** Removes rows that features keep only for a limited time. */
export const Housekeeping = removingOld([
  idempotencyRetention,
  passwordResetRetention,
  presenceRetention,
  attemptRetention,
  ...mailboxRetentions,
  removedCustomerRetention,
  draftCallRetention,
  outboxRetention,
  jobRetention
])
