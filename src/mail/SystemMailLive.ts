import { Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { CurrentClaim, confirmClaimNow } from "../platform/queue/JobClaim.ts"
import { comeBackAfter } from "../platform/queue/Patience.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { type Mail, Mailer, MailNotSent } from "../platform/systemMail/Mailer.ts"
import { SystemMail } from "../platform/systemMail/SystemMail.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { systemMessageID } from "./ConfidentialMail.ts"
import { Mailboxes, usesCustomersCredentials } from "./Mailboxes.ts"
import { MailGraph, type MailProblem } from "./MailGraph.ts"

/** Whether the provider refuses for good, however often it is asked. */
const isRefused = ({ reason }: MailProblem) => reason !== "Unavailable"

const notSent = (cause: MailProblem) => {
  const { isUndone = false, retryAfterSeconds } = cause
  return new MailNotSent({ cause, isUndone, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })
}

/** Retries for as long as an answer would be retried. */
const orLater = (failure: MailNotSent) =>
  Effect.flatMap(CurrentClaim, (claim) => {
    const { hasStayed, isRefused, retryAfterSeconds } = failure
    // Mail that may have left is not retried over a whole day, even if the server says when to come back: it only gets
    // the job's own attempts.
    const trouble = { isAway: hasStayed && !isRefused, retryAfterSeconds: hasStayed ? retryAfterSeconds : undefined }
    const again = claim === null ? undefined : comeBackAfter(claim.ageSeconds, trouble)
    return again === undefined
      ? Effect.fail(failure)
      : Effect.as(Effect.logWarning("system mail could not be sent yet", failure), again)
  })

/**
 * Sends from the customer's first mailbox with a configured mail provider, else through the service's own mailer. A
 * confidential mail only leaves from a mailbox that is reached with the customer's own credentials.
 */
const make = Effect.gen(function* () {
  const channels = yield* ChannelsRepo
  const mailboxes = yield* Mailboxes
  const graph = yield* MailGraph
  const mailer = yield* Mailer
  const { hostname } = new URL((yield* Settings).baseUrl)

  const findMailbox = fn("SystemMail.findMailbox")(function* (customerID: CustomerID, isConfidential: boolean) {
    const usable = (yield* channels.list(customerID)).filter(
      (channel) => channel.isActive && (!isConfidential || usesCustomersCredentials(channel))
    )
    const ways = usable.map((channel) => mailboxes.of(customerID, channel))
    return ways.length === 0 ? Option.none() : yield* Effect.option(Effect.firstSuccessOf(ways))
  })

  const leave = fn("SystemMail.leave")(function* (customerID: CustomerID, mail: Mail) {
    const { html, isAutomatic = true, isConfidential = false, subject, text, to } = mail
    const messageId = mail.messageId ?? systemMessageID(hostname, isConfidential)
    const mailbox = yield* findMailbox(customerID, isConfidential)
    const plainly = mailer.send(customerID, { ...mail, messageId, isAutomatic }).pipe(
      Effect.catchIf(
        ({ hasLeft }) => hasLeft,
        () => Effect.logWarning("system mail not sent to all recipients")
      )
    )
    if (Option.isNone(mailbox)) return yield* plainly
    yield* confirmClaimNow
    yield* graph
      .sendUnkept(mailbox.value, { to, subject, text, html, internetMessageID: messageId, isAutomatic, isConfidential })
      .pipe(
        Effect.catchTag("MailProblem", (problem) =>
          // A password mail must not be lost because the mailbox is set up wrongly.
          isRefused(problem)
            ? Effect.zipRight(
                Effect.logWarning("the mail provider refuses system mail; sending it another way", problem),
                plainly
              )
            : notSent(problem)
        )
      )
  })

  return SystemMail.of({
    send: (customerID, mail) =>
      leave(customerID, mail).pipe(Effect.as(undefined), Effect.catchTag("MailNotSent", orLater))
  })
})

export const SystemMailLive = Layer.effect(SystemMail, make)
