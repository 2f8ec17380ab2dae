import { Effect, Layer, Option, Schema } from "effect"
import { type CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { CustomerProfileRepo } from "../customers/CustomerProfileRepo.ts"
import type { DeliveryRoute } from "../delivery/Delivery.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { storable } from "../platform/database/Storable.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { SystemMail } from "../platform/systemMail/SystemMail.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { isOfMailbox, isPlainAddress } from "../platform/text/MailAddress.ts"
import { ReplySignatures } from "../representatives/ReplySignatures.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { answersToMail, quietSeconds, type Said } from "./AnswersToMail.ts"
import { ChatAnswersRepo } from "./ChatAnswersRepo.ts"
import { signatureOf } from "./MailDelivery.ts"
import { storedDelivery } from "./StoredDelivery.ts"

/** Enqueued in the transaction that marks an answer in a chat as sent, with the address that is known by then. */
const mailVisitor = jobKind({
  kind: "MailVisitor",
  payload: Schema.Struct({ ticketID: TicketID, ticketMessageID: TicketMessageID, to: Schema.String })
})

/** The visitor fetches the answer itself; one who has left an address and does not come back gets it by mail. */
export const makeChatDelivery = Effect.gen(function* () {
  const jobs = yield* Jobs
  const chatAnswers = yield* ChatAnswersRepo
  return {
    ...storedDelivery,
    afterwards: fn("ChatDelivery.afterwards")(function* (customerID, { ticketMessageID }) {
      const answer = Option.getOrNull(yield* chatAnswers.find(customerID, ticketMessageID))
      // Representatives can change the field, and anybody may have left several addresses.
      if (answer === null || answer.address === null || !isPlainAddress(answer.address)) return
      const { address: to, ticketID } = answer
      yield* chatAnswers.markDue(customerID, ticketMessageID)
      yield* jobs.enqueue(mailVisitor, customerID, { ticketID, ticketMessageID, to }, String(ticketMessageID))
    })
  } satisfies DeliveryRoute
})

/** How many seconds after it was written an answer may become visible. */
const margin = 10

/** How long an answer still waits for another one. */
const secondsLeft = ({ secondsAgo }: { readonly secondsAgo: number }) => Math.ceil(quietSeconds + margin - secondsAgo)

export const VisitorMailJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* Jobs
    const chatAnswers = yield* ChatAnswersRepo
    const messages = yield* TicketMessagesRepo
    const tickets = yield* TicketsRepo
    const attachments = yield* AttachmentsRepo
    const channels = yield* ChannelsRepo
    const customers = yield* CustomerProfileRepo
    const signatures = yield* ReplySignatures
    const mailer = yield* SystemMail
    const inTransaction = yield* InTransaction
    const { hostname } = new URL((yield* Settings).baseUrl)

    /** The customer's own addresses, the one for replies first. */
    const ownAddresses = fn("VisitorMail.ownAddresses")(function* (customerID: CustomerID) {
      const all = yield* channels.list(customerID)
      return all
        .toSorted((one, other) => Number(other.isActive) - Number(one.isActive))
        .flatMap(({ channelType, emailAddress }) =>
          channelType === "Email" && emailAddress !== null ? [emailAddress] : []
        )
    })

    const textOf = fn("VisitorMail.textOf")(function* (customerID: CustomerID, { text, ticketMessageID }: Said) {
      const files = yield* attachments.list(customerID, ticketMessageID)
      return [text, ...files.map(({ fileName }) => `[${fileName}]`)].join("\n")
    })

    /** The authors of the answers see it in their history. The reason may name the visitor, who may be erased by now. */
    const noteLost = fn("VisitorMail.noteLost")(function* (
      customerID: CustomerID,
      { ticketID, ticketMessageID: own }: typeof mailVisitor.payload.Type,
      claim: JobClaim,
      reason: string
    ) {
      yield* claim.confirm
      const deliveryError = storable(`The answer could not be mailed to the visitor: ${reason}`)
      for (const { job, ticketMessageID } of yield* chatAnswers.said(customerID, ticketID)) {
        // It may have failed before it took even its own.
        const isMine = job === claim.jobID || (job === null && ticketMessageID === own)
        if (isMine) yield* messages.update(customerID, ticketMessageID, { deliveryError })
      }
    }, inTransaction)

    /** Takes the answers to mail, so that no other job of the chat mails them, and returns the last one's author too. */
    const take = fn("VisitorMail.take")(function* (
      customerID: CustomerID,
      { ticketID, ticketMessageID }: typeof mailVisitor.payload.Type,
      claim: JobClaim
    ) {
      yield* claim.confirm
      yield* tickets.lock(customerID, [ticketID])
      const own = yield* chatAnswers.find(customerID, ticketMessageID)
      const waits = Option.match(own, { onNone: () => 0, onSome: secondsLeft })
      if (waits > 0) return new RunAgain({ pauseSeconds: waits })
      const unseen = answersToMail(yield* chatAnswers.said(customerID, ticketID), ticketMessageID, claim.jobID)
      const last = unseen.at(-1)?.ticketMessageID
      if (last === undefined) return undefined
      const answer = Option.getOrUndefined(yield* chatAnswers.find(customerID, last))
      if (answer === undefined) return undefined
      // One that was left to a deleted answer may be as young as that.
      if (secondsLeft(answer) > 0) return new RunAgain({ pauseSeconds: secondsLeft(answer) })
      const taken = unseen.map((one) => one.ticketMessageID)
      yield* chatAnswers.take(customerID, taken, claim.jobID)
      return { ...answer, unseen, last }
    }, inTransaction)

    yield* jobs.handle(
      mailVisitor,
      fn("VisitorMail.send")(function* (customerID, payload, claim) {
        const { ticketID, to } = payload
        const taken = yield* take(customerID, payload, claim)
        if (taken === undefined || taken instanceof RunAgain) return taken
        const { customerRepID, language, last, unseen } = taken
        const own = yield* ownAddresses(customerID)
        // Mail to oneself would become a ticket, and be answered.
        if (own.some((address) => isOfMailbox(to, address))) return
        const texts = yield* Effect.forEach(unseen, (one) => textOf(customerID, one))
        const signature = signatureOf(yield* signatures.find(customerID, customerRepID, language))
        const { name } = yield* customers.get(customerID)
        const [replyTo] = own
        return yield* mailer
          .send(customerID, {
            to,
            // Says nothing that the visitor has written: anybody may have left somebody else's address.
            subject: `${name} #${ticketID}`,
            text: [...texts, ...(signature === null ? [] : [`-- \n${signature}`])].join("\n\n"),
            ...(replyTo !== undefined && { replyTo }),
            about: last,
            isAutomatic: false,
            // Without the ticket's token, which opens the chat.
            messageId: `<casework-chat-${claim.jobID}@${hostname}>`
          })
          .pipe(
            Effect.catchIf(
              ({ isRefused }) => isRefused,
              ({ message }) => noteLost(customerID, payload, claim, message)
            )
          )
      }),
      noteLost
    )
  })
)
