import { Context, Data, Effect, Layer } from "effect"
import { BadGateway, BadRequest, type Forbidden, type NotFound } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import type { MessageStatus } from "../../schema/TicketMessages.ts"
import { clip } from "../ai/Clip.ts"
import { Drafts } from "../ai/Drafts.ts"
import { mostDocuments } from "../ai/prompts/Draft.ts"
import { Events } from "../events/Events.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { confirmClaim } from "../platform/queue/JobClaim.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { MessageAccess } from "./MessageAccess.ts"
import { MessageHistoryRepo } from "./MessageHistoryRepo.ts"
import { MessageTopicsRepo } from "./MessageTopicsRepo.ts"
import { type FilledDocument, PromptDocuments } from "./PromptDocuments.ts"
import { TicketMessagesRepo } from "./TicketMessagesRepo.ts"

/** Prepares answers to end users' messages. It never sends one. */
export class DraftReplies extends Context.Tag("casework/DraftReplies")<
  DraftReplies,
  {
    /**
     * Asks for a draft and stores it with the message, unless the message was answered or its draft was written
     * meanwhile; returns whether it was stored. Starts over when a quoted message is gone by then. Not inside a
     * transaction: data retrieval and the model may take a while.
     */
    readonly prepare: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      options?: { readonly modelName?: string }
    ) => Effect.Effect<boolean, BadRequest | NotFound | Forbidden | BadGateway>
  }
>() {
  static readonly layer = Layer.effect(
    DraftReplies,
    Effect.suspend(() => make)
  )
}

const mostPastMessages = 20

/** A message that the draft is based on was deleted or erased meanwhile: the draft could reveal it. */
class QuoteGone extends Data.TaggedError("QuoteGone") {}

const mostAnew = 2

/** A draft moves a message on, whatever failed before, unless it is already answered, escalated or set aside. */
const nextStatus = (status: MessageStatus): MessageStatus =>
  status === "Received" || status === "Processing" || status === "Failed" ? "Drafted" : status

const longestReason = 500

/** Explains why a draft lacks the data it should have; shown in the message's trace. */
const withoutData = (failed: ReadonlyArray<FilledDocument>) =>
  clip(
    `Without the data of ${failed.map(({ document, error }) => `${document.name} (${document.documentID}): ${error}`).join(" ")}`,
    longestReason
  )

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const messages = yield* TicketMessagesRepo
  const tickets = yield* TicketsRepo
  const topics = yield* MessageTopicsRepo
  const history = yield* MessageHistoryRepo
  const promptDocuments = yield* PromptDocuments
  const access = yield* MessageAccess
  const drafts = yield* Drafts
  const events = yield* Events

  const attempt = fn("DraftReplies.attempt")(function* (
    customerID: CustomerID,
    ticketMessageID: TicketMessageID,
    modelName: string | undefined
  ) {
    const message = yield* messages.find(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
    if (message.senderType === "CustomerRep") {
      return yield* BadRequest.of(
        "Only end users' messages can be answered, and this one was written by a representative."
      )
    }
    if (message.isPersonsDraft) return false
    const { channelType, subject, ticketID } = message
    const past = yield* history.list(customerID, ticketID, { most: mostPastMessages, before: ticketMessageID })
    const quotes = past.map((message) => message.ticketMessageID)
    const { failed, usable } = yield* promptDocuments.best(customerID, message, mostDocuments)
    const { aiRunID, text } = yield* drafts.draft({
      customerID,
      ticketMessageID,
      channelType,
      language: yield* tickets.languageOf(customerID, ticketID),
      subject,
      text: message.message ?? "",
      topics: (yield* topics.list(customerID, ticketMessageID)).map(({ name }) => name),
      history: past.map(({ senderType, text }) => ({ senderType, text })),
      quotes,
      documents: usable.map(({ content, document: { documentID, name, version } }) => ({
        documentID,
        version,
        title: name,
        content
      })),
      ...(modelName !== undefined && { modelName })
    })
    return yield* Effect.gen(function* () {
      yield* confirmClaim
      const { aiReply, isPersonsDraft, status } = yield* messages
        .findForUpdate(customerID, ticketMessageID)
        .pipe(access.orRefuse(ticketMessageID))
      if (status === "Replied" || isPersonsDraft || aiReply !== message.aiReply) return false
      if (!(yield* history.hasAll(customerID, quotes))) return yield* new QuoteGone()
      yield* messages.update(customerID, ticketMessageID, {
        aiReply: text,
        isPersonsDraft: false,
        status: nextStatus(status)
      })
      const details = {
        ...(aiRunID !== null && { aiRunID }),
        ...(failed.length > 0 && { reason: withoutData(failed) })
      }
      yield* events.record(customerID, [{ kind: "DraftReady", ticketID, ticketMessageID, details }])
      return true
    }).pipe(inTransaction)
  })

  return DraftReplies.of({
    prepare: (customerID, ticketMessageID, { modelName } = {}) =>
      attempt(customerID, ticketMessageID, modelName).pipe(
        Effect.retry({ times: mostAnew, while: ({ _tag }) => _tag === "QuoteGone" }),
        Effect.catchTag("QuoteGone", () =>
          BadGateway.of(
            "Messages that the answer is based on were deleted in the meantime. Nothing changed; try again."
          )
        )
      )
  })
})
