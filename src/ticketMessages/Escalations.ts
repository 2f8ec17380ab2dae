import { Context, Effect, Layer, Option } from "effect"
import type { Conflict, Forbidden, NotFound } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import type { EscalateMessage } from "../../schema/TicketMessageBodies.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { Events } from "../events/Events.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"
import { TicketChanges } from "../tickets/TicketChanges.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { notifyEscalation } from "./EscalationMail.ts"
import { makeEscalationMailsRepo } from "./EscalationMailsRepo.ts"
import { MessageAccess } from "./MessageAccess.ts"
import { TicketMessagesRepo } from "./TicketMessagesRepo.ts"
import { commentAfterWish, isWish, wishOf } from "./VisitorsWish.ts"

type Escalation = EscalateMessage & {
  /**
   * The visitor who wishes it, instead of a representative with a comment. A visitor may ask as often as it likes: that
   * is mailed now and then, and once when it leaves an address.
   */
  readonly visitor?: { readonly replyTo: string | undefined; readonly leavesAddress: boolean }
}

/** Hands a conversation over to a person. */
export class Escalations extends Context.Tag("casework/Escalations")<
  Escalations,
  {
    /** Returns the address that is notified by mail, if any. */
    readonly escalate: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      request: Escalation
    ) => Effect.Effect<Option.Option<string>, NotFound | Forbidden | Conflict>
  }
>() {
  static readonly layer = Layer.effect(
    Escalations,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const access = yield* MessageAccess
  const messages = yield* TicketMessagesRepo
  const tickets = yield* TicketsRepo
  const changes = yield* TicketChanges
  const customers = yield* CustomerSettings
  const representatives = yield* RepresentativesRepo
  const events = yield* Events
  const mails = yield* makeEscalationMailsRepo
  const jobs = yield* Jobs

  const findDefaultAddress = fn("Escalations.findDefaultAddress")(function* (customerID: CustomerID) {
    const { defaultCustomerRepID } = yield* customers.get(customerID)
    if (defaultCustomerRepID === null) return Option.none()
    const rep = yield* representatives.find(customerID, defaultCustomerRepID)
    return Option.flatMap(rep, ({ email }) => Option.fromNullable(email))
  })

  return Escalations.of({
    escalate: fn("Escalations.escalate")(function* (
      customerID,
      ticketMessageID,
      { email = null, feedbackComment = null, visitor }
    ) {
      const message = yield* messages.findForUpdate(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      const locked = yield* tickets.lock(customerID, [message.ticketID])
      const comment =
        visitor === undefined ? feedbackComment : commentAfterWish(message.feedbackComment, visitor.replyTo)
      const happened = yield* changes.apply(customerID, locked, [{ _tag: "Escalate" }], ticketMessageID)
      yield* messages.update(customerID, ticketMessageID, {
        isEscalated: true,
        ...(comment !== null && { feedbackComment: comment }),
        ...(message.senderType === "EndUser" && message.status !== "Replied" && { status: "Escalated" })
      })
      const isNews = !message.isEscalated || happened.length > 0
      if (isNews && !happened.includes("TicketEscalated")) {
        yield* events.record(customerID, [{ kind: "MessageEscalated", ticketID: message.ticketID, ticketMessageID }])
      }
      const told = email === null ? yield* findDefaultAddress(customerID) : Option.some(email)
      if (Option.isNone(told)) return told
      const to = told.value
      const isMailed =
        visitor === undefined
          ? // An explicitly named address is always notified, even about an earlier escalation.
            isNews || email !== null
          : visitor.leavesAddress || !(yield* mails.wasMailedLately(customerID, message.ticketID, to))
      if (!isMailed) return Option.none()
      yield* jobs.enqueue(notifyEscalation, customerID, {
        ticketMessageID,
        to,
        ...(visitor !== undefined && comment !== null && !isWish(comment) && { wish: wishOf(visitor.replyTo) })
      })
      return told
    }, inTransaction)
  })
})
