import { Context, Effect, Layer, Option } from "effect"
import { CurrentCaller, CurrentRep } from "../../schema/Authentication.ts"
import { BadRequest, Forbidden, type NotFound } from "../../schema/Errors.ts"
import type { CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type {
  CorrectTopics,
  MessagesOfTicketQuery,
  TicketMessageCreate,
  TicketMessageUpdate
} from "../../schema/TicketMessageBodies.ts"
import type { TicketMessage, TicketMessagePage } from "../../schema/TicketMessages.ts"
import { UnsentDrafts } from "../delivery/UnsentDrafts.ts"
import { Events } from "../events/Events.ts"
import { changedOrNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences } from "../platform/database/OwnReferences.ts"
import type { ReadyJson } from "../platform/database/ReadyJson.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketListRepo } from "../tickets/TicketListRepo.ts"
import { channelOf, MessageAccess } from "./MessageAccess.ts"
import { MessageListRepo } from "./MessageListRepo.ts"
import { MessageTopicsRepo } from "./MessageTopicsRepo.ts"
import { NewMessages } from "./NewMessages.ts"
import { type StoredMessage, TicketMessagesRepo } from "./TicketMessagesRepo.ts"

type Refusal = NotFound | Forbidden

export class TicketMessages extends Context.Tag("casework/TicketMessages")<
  TicketMessages,
  {
    readonly list: (
      ticketID: TicketID,
      query: MessagesOfTicketQuery
    ) => Effect.Effect<ReadyJson<TicketMessagePage>, NotFound, CurrentRep>
    readonly get: (ticketMessageID: TicketMessageID) => Effect.Effect<ReadyJson<TicketMessage>, Refusal, CurrentCaller>
    readonly create: (
      message: TicketMessageCreate
    ) => Effect.Effect<ReadyJson<TicketMessage>, BadRequest | Forbidden, CurrentCaller>
    readonly update: (
      ticketMessageID: TicketMessageID,
      change: TicketMessageUpdate
    ) => Effect.Effect<void, BadRequest | Refusal, CurrentRep>
    readonly delete: (ticketMessageID: TicketMessageID) => Effect.Effect<void, Refusal, CurrentRep>
    readonly correctTopics: (
      ticketMessageID: TicketMessageID,
      correction: CorrectTopics
    ) => Effect.Effect<void, BadRequest | Refusal, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    TicketMessages,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* TicketMessagesRepo
  const shown = yield* MessageListRepo
  const shownTickets = yield* TicketListRepo
  const topics = yield* MessageTopicsRepo
  const access = yield* MessageAccess
  const newMessages = yield* NewMessages
  const events = yield* Events
  const drafts = yield* UnsentDrafts
  const checkOwnReferences = yield* makeCheckOwnReferences

  /** A phone call writes on its own channel, and only to tickets of that channel. */
  const boundTo = fn("TicketMessages.boundTo")(function* (message: TicketMessageCreate) {
    const caller = yield* CurrentCaller
    const { channelID: givenChannel, customerRepID: given, ticketID } = message
    if (given !== undefined || caller._tag !== "Representative") {
      const isForeign = ticketID !== undefined && !(yield* shownTickets.exists(caller.customerID, ticketID))
      yield* checkOwnReferences(
        caller.customerID,
        [
          ...(givenChannel === undefined ? [] : [{ kind: "channel", path: "channelID", id: givenChannel } as const]),
          ...(given === undefined ? [] : [{ kind: "customer_rep", path: "customerRepID", id: given } as const])
        ],
        isForeign ? [{ path: "ticketID", message: "is not one of your tickets" }] : []
      )
    }
    if (caller._tag === "Representative") {
      const customerRepID = given ?? caller.customerRepID
      const isAnswer = message.senderType === "CustomerRep"
      if (isAnswer && customerRepID !== caller.customerRepID && caller.role !== "Admin") {
        return yield* Forbidden.of("Only an Admin may write in another representative's name.")
      }
      return { ...message, customerRepID }
    }
    const { channelID } = caller
    if (message.channelID !== undefined && message.channelID !== channelID) {
      return yield* Forbidden.of("A phone token can write only on its own channel.")
    }
    return { ...message, customerRepID: null, channelID, boundToChannel: channelID }
  })

  /** Deleting an unsent answer makes the message it answered open again. */
  const reopenQuestion = fn("TicketMessages.reopenQuestion")(function* (
    customerID: CustomerID,
    { answersMessageID, status, ticketID }: StoredMessage
  ) {
    if (answersMessageID === null || (status !== "Queued" && status !== "Failed")) return
    const question = yield* repo.find(customerID, answersMessageID)
    if (Option.isNone(question) || question.value.status !== "Replied") return
    yield* repo.update(customerID, answersMessageID, {
      status: question.value.aiReply === null ? "Received" : "Drafted"
    })
    yield* events.record(customerID, [{ kind: "MessageChanged", ticketID, ticketMessageID: answersMessageID }])
  })

  return TicketMessages.of({
    list: fn("TicketMessages.list")(function* (ticketID, query) {
      const { customerID } = yield* CurrentRep
      const page = yield* shown.list(customerID, ticketID, query)
      if (page.totalCount === 0) {
        yield* shownTickets.exists(customerID, ticketID).pipe(changedOrNotFound(`There is no ticket ${ticketID}.`))
      }
      return page
    }),

    get: fn("TicketMessages.get")(function* (ticketMessageID) {
      const caller = yield* CurrentCaller
      return yield* shown
        .find(caller.customerID, ticketMessageID, channelOf(caller))
        .pipe(access.orRefuse(ticketMessageID))
    }),

    create: fn("TicketMessages.create")(function* (message) {
      const caller = yield* CurrentCaller
      const show = (ticketMessageID: TicketMessageID) =>
        shown.find(caller.customerID, ticketMessageID, channelOf(caller)).pipe(Effect.flatten, Effect.orDie)
      const added = yield* newMessages.add(caller.customerID, yield* boundTo(message), show)
      return added.shown ?? (yield* show(added.ticketMessageID))
    }),

    update: fn("TicketMessages.update")(function* (ticketMessageID, change) {
      const { customerID } = yield* CurrentRep
      const { aiReply, senderType, status, ticketID } = yield* repo
        .findForUpdate(customerID, ticketMessageID)
        .pipe(access.orRefuse(ticketMessageID))
      if ((change.aiReply ?? null) !== null && senderType === "CustomerRep") {
        return yield* BadRequest.at("aiReply", "can be set only on an end user's message")
      }
      if (Object.keys(change).length === 0) return
      // A draft written back unchanged stays the model's.
      const isWritten = change.aiReply !== undefined && change.aiReply !== aiReply
      const author = isWritten ? { isPersonsDraft: change.aiReply !== null } : {}
      // Without its draft the message again waits for one, or for a person.
      const back = change.aiReply === null && status === "Drafted" ? { status: "Received" as const } : {}
      // With a new one it can be answered, whatever failed before.
      const onwards = author.isPersonsDraft === true && status === "Failed" ? { status: "Drafted" as const } : {}
      if (yield* repo.update(customerID, ticketMessageID, { ...back, ...onwards, ...change, ...author })) {
        yield* events.record(customerID, [{ kind: "MessageChanged", ticketID, ticketMessageID }])
      }
    }, inTransaction),

    delete: fn("TicketMessages.delete")(function* (ticketMessageID) {
      const { customerID } = yield* CurrentRep
      const deleted = yield* repo.findForUpdate(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      const { ticketID } = deleted
      yield* drafts.withdraw(customerID, { ticketMessageIDs: [ticketMessageID] })
      yield* repo
        .delete(customerID, ticketMessageID)
        .pipe(changedOrNotFound(`There is no ticket message ${ticketMessageID}.`))
      yield* events.record(customerID, [{ kind: "TicketChanged", ticketID }])
      yield* reopenQuestion(customerID, deleted)
    }, inTransaction),

    correctTopics: fn("TicketMessages.correctTopics")(function* (ticketMessageID, { topicIds }) {
      const { customerID, customerRepID } = yield* CurrentRep
      const { ticketID } = yield* repo.findForUpdate(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      yield* checkOwnReferences(
        customerID,
        topicIds.map((id, index) => ({ kind: "topic", path: `topicIds.${index}`, id }))
      )
      const before = yield* topics.list(customerID, ticketMessageID)
      yield* topics.replace(customerID, ticketMessageID, topicIds)
      const after = yield* topics.list(customerID, ticketMessageID)
      const names = (list: typeof before) => list.map(({ name }) => name)
      yield* topics.recordCorrection({
        customerID,
        ticketMessageID,
        customerRepID,
        before: names(before),
        after: names(after)
      })
      yield* events.record(customerID, [{ kind: "TopicsCorrected", ticketID, ticketMessageID }])
    }, inTransaction)
  })
})
