import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import type { BadGateway, BadRequest, Forbidden, NotFound } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import type { MessageStatus } from "../../schema/TicketMessages.ts"
import { Drafts } from "../ai/Drafts.ts"
import { Events } from "../events/Events.ts"
import { fence } from "../platform/JobClaim.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { MessageAccess } from "./MessageAccess.ts"
import { MessageHistoryRepo } from "./MessageHistoryRepo.ts"
import { MessageTopicsRepo } from "./MessageTopicsRepo.ts"
import { PromptDocuments } from "./PromptDocuments.ts"
import { TicketMessagesRepo } from "./TicketMessagesRepo.ts"

/** Prepares answers to end users' messages. It never sends one. */
export class DraftReplies extends Context.Tag("casework/DraftReplies")<
  DraftReplies,
  {
    /**
     * Asks for a draft and keeps it beside the message, unless that was answered in the meantime, or somebody wrote a
     * draft; answers whether it did. Not inside a transaction: data retrieval and the model may take their time.
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

/** A draft for a message that nobody has answered, escalated or put aside moves it on. */
const nextStatus = (status: MessageStatus): MessageStatus =>
  status === "Received" || status === "Processing" ? "Drafted" : status

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const messages = yield* TicketMessagesRepo
  const tickets = yield* TicketsRepo
  const topics = yield* MessageTopicsRepo
  const history = yield* MessageHistoryRepo
  const promptDocuments = yield* PromptDocuments
  const access = yield* MessageAccess
  const drafts = yield* Drafts
  const events = yield* Events

  return DraftReplies.of({
    prepare: fn("DraftReplies.prepare")(function* (customerID, ticketMessageID, { modelName } = {}) {
      const message = yield* messages.find(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      const { channelType, subject, ticketID } = message
      const past = yield* history.list(customerID, ticketID, { most: mostPastMessages, before: ticketMessageID })
      const documents = yield* promptDocuments.of(customerID, message, {})
      const draft = yield* drafts.draft({
        customerID,
        ticketMessageID,
        channelType,
        language: yield* tickets.languageOf(customerID, ticketID),
        subject,
        text: message.message ?? "",
        topics: (yield* topics.list(customerID, ticketMessageID)).map(({ name }) => name),
        history: past.map(({ senderType, text }) => ({ senderType, text })),
        quotes: past.map((message) => message.ticketMessageID),
        documents: documents
          .filter(({ content }) => content.trim() !== "")
          .map(({ content, document: { documentID, name, version } }) => ({
            documentID,
            version,
            title: name,
            content
          })),
        ...(modelName !== undefined && { modelName })
      })
      return yield* Effect.gen(function* () {
        yield* fence
        const { aiReply, status } = yield* messages
          .findForUpdate(customerID, ticketMessageID)
          .pipe(access.orRefuse(ticketMessageID))
        if (status === "Replied" || aiReply !== message.aiReply) return false
        yield* messages.update(customerID, ticketMessageID, { aiReply: draft, status: nextStatus(status) })
        yield* events.record(customerID, [{ kind: "DraftReady", ticketID, ticketMessageID }])
        return true
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die))
    })
  })
})
