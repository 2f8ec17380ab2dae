import { Effect, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { NotDelivered, type OutboundMessage } from "../delivery/Delivery.ts"
import { confirmClaimNow } from "../platform/queue/JobClaim.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ReplySignatures } from "../representatives/ReplySignatures.ts"
import { makeAnswerFiles } from "../sending/AnswerFiles.ts"
import { answerHtml } from "../sending/AnswerHtml.ts"
import { subjectOf } from "../sending/MailDelivery.ts"
import { isUnknown, type Mailbox, MailGraph, type MailProblem, type OutgoingMail } from "./MailGraph.ts"
import { draftKey, removeDraft } from "./MailJobs.ts"
import { answerMessageID } from "./ReplyAddress.ts"
import { SentMailsRepo } from "./SentMailsRepo.ts"

type Whereabouts = { readonly draftID: string } | "Left" | "Nowhere"

const notDelivered = ({ message, reason, retryAfterSeconds }: MailProblem) =>
  new NotDelivered({
    message,
    permanent: reason === "Refused" || reason === "Blocked",
    isAway: reason === "Unavailable",
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
  })

const withdrawn = () => new NotDelivered({ message: "The message must no longer be sent", permanent: true })

/**
 * Sends answers through the mail provider, in the thread. Each has its own Message-ID from the first attempt on: a
 * later attempt looks for that mail before it sends anything again.
 */
export const makeGraphDelivery = Effect.gen(function* () {
  const graph = yield* MailGraph
  const repo = yield* SentMailsRepo
  const jobs = yield* Jobs
  const signatures = yield* ReplySignatures
  const filesOf = yield* makeAnswerFiles
  const { baseUrl } = yield* Settings
  const host = new URL(baseUrl).hostname

  const byDraft = (mailbox: Mailbox, draftID: string) =>
    graph.message(mailbox, draftID).pipe(
      Effect.map(({ id, isDraft }) => Option.some({ id, isDraft: isDraft === true })),
      Effect.catchIf(isUnknown, () => Effect.succeedNone)
    )

  /** Finds what an earlier attempt left behind. */
  const lookFor = fn("GraphDelivery.lookFor")(function* (
    customerID: CustomerID,
    mailbox: Mailbox,
    message: OutboundMessage,
    internetMessageID: string
  ): Effect.fn.Return<Whereabouts, MailProblem | NotDelivered> {
    const known = yield* repo.find(customerID, message.ticketMessageID)
    const draft = Option.isNone(known) ? Option.none() : yield* byDraft(mailbox, known.value.draftID)
    const found = Option.isSome(draft) ? draft : yield* graph.findByInternetMessageID(mailbox, internetMessageID)
    if (Option.isSome(found)) return found.value.isDraft ? { draftID: found.value.id } : "Left"
    if (Option.exists(known, ({ mayHaveLeft }) => mayHaveLeft)) {
      const lost = "The message may already have been sent, but its copy no longer exists: it is not sent a second time"
      return yield* new NotDelivered({ message: lost, permanent: true })
    }
    return "Nowhere"
  })

  const draft = fn("GraphDelivery.draft")(function* (
    customerID: CustomerID,
    mailbox: Mailbox,
    message: OutboundMessage,
    mail: OutgoingMail
  ) {
    const original = yield* repo.findOriginal(customerID, message)
    yield* confirmClaimNow
    return Option.isNone(original)
      ? yield* graph.createDraft(mailbox, mail)
      : yield* graph
          .createReply(mailbox, original.value, mail)
          .pipe(Effect.catchIf(isUnknown, () => graph.createDraft(mailbox, mail)))
  })

  /** Attaches the files of the message that the draft does not have yet. */
  const attachAll = fn("GraphDelivery.attachAll")(function* (
    customerID: CustomerID,
    mailbox: Mailbox,
    { ticketMessageID }: OutboundMessage,
    draftID: string
  ) {
    const wanted = yield* filesOf(customerID, ticketMessageID)
    if (wanted.length === 0) return
    // Inline attachments came with the quoted mail and are not ours, whatever their names.
    const own = (yield* graph.attachments(mailbox, draftID)).filter(({ isInline }) => isInline !== true)
    const there = own.map(({ name }) => name)
    for (const file of wanted) {
      const known = there.indexOf(file.fileName)
      // An attachment on the draft stands for one file only: two files may have the same name.
      if (known >= 0) there.splice(known, 1)
      else yield* graph.attach(mailbox, draftID, file)
    }
  })

  return fn("GraphDelivery.deliver")(
    function* (customerID: CustomerID, mailbox: Mailbox, message: OutboundMessage, attempt: number) {
      if (message.address === null)
        return yield* new NotDelivered({ message: "There is no address to send to", permanent: true })
      const internetMessageID = answerMessageID(message.ticketMessageID, message.ticketToken, host)
      const place: Whereabouts =
        attempt === 1 ? "Nowhere" : yield* lookFor(customerID, mailbox, message, internetMessageID)
      if (place === "Left") return
      const signature = yield* signatures.find(customerID, message.customerRepID, message.language)
      const mail = {
        to: message.address,
        subject: subjectOf(message),
        html: answerHtml(message, signature),
        internetMessageID,
        isAutomatic: message.customerRepID === null
      }
      const draftID = place === "Nowhere" ? yield* draft(customerID, mailbox, message, mail) : place.draftID
      const made = { channelID: message.channelID, draftID }
      // The answer may have been deleted before its draft was stored, so the draft has to be removed here.
      const takeBack = Effect.zipRight(jobs.enqueue(removeDraft, customerID, made, draftKey(made)), withdrawn())
      if (!(yield* repo.keepDraft(customerID, message, { draftID, internetMessageID }))) return yield* takeBack
      yield* attachAll(customerID, mailbox, message, draftID)
      if (!(yield* repo.noteSending(customerID, message.ticketMessageID))) return yield* takeBack
      yield* confirmClaimNow
      yield* graph.send(mailbox, draftID)
    },
    Effect.catchTag("MailProblem", notDelivered)
  )
})
