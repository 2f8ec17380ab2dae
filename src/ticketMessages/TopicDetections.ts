import { Context, Effect, Layer, Option } from "effect"
import { type Caller, CurrentCaller } from "../../schema/Authentication.ts"
import type { BadGateway, BadRequest, Forbidden, NotFound } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import type { DetectTopicsQuery } from "../../schema/TicketMessageBodies.ts"
import { Detection } from "../ai/Detection.ts"
import { Events } from "../events/Events.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { confirmClaim } from "../platform/queue/JobClaim.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { mappingsOfPage } from "../topics/PageMatch.ts"
import { DetectionMaterialRepo } from "./DetectionMaterialRepo.ts"
import { channelOf, MessageAccess } from "./MessageAccess.ts"
import { MessageTopicsRepo } from "./MessageTopicsRepo.ts"
import { type StoredMessage, TicketMessagesRepo } from "./TicketMessagesRepo.ts"

type Failure = BadRequest | NotFound | Forbidden | BadGateway

/** Gives messages the topics that AI finds. What a person decided about a message is not changed. */
export class TopicDetections extends Context.Tag("casework/TopicDetections")<
  TopicDetections,
  {
    /** Asks the model, then stores. Not inside a transaction: the model may take a while. */
    readonly detect: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      query: DetectTopicsQuery
    ) => Effect.Effect<void, Failure>
    /** The same for a caller over HTTP. */
    readonly detectFor: (
      ticketMessageID: TicketMessageID,
      query: DetectTopicsQuery
    ) => Effect.Effect<void, Failure, CurrentCaller>
  }
>() {
  static readonly layer = Layer.effect(
    TopicDetections,
    Effect.suspend(() => make)
  )
}

const isVisibleTo =
  (caller: Caller) =>
  ({ channelID }: StoredMessage) =>
    Option.getOrElse(channelOf(caller), () => channelID) === channelID

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const messages = yield* TicketMessagesRepo
  const topics = yield* MessageTopicsRepo
  const material = yield* DetectionMaterialRepo
  const access = yield* MessageAccess
  const detection = yield* Detection
  const events = yield* Events

  const ask = fn("TopicDetections.ask")(function* (
    customerID: CustomerID,
    { message, pageURL, subject, ticketMessageID }: StoredMessage,
    modelName: string | undefined
  ) {
    const pages = pageURL === null ? [] : yield* material.pages(customerID)
    const corrected = yield* material.corrections(customerID, ticketMessageID)
    return yield* detection.topics({
      customerID,
      ticketMessageID,
      subject,
      text: message ?? "",
      pageUrl: pageURL,
      topics: yield* material.topics(customerID),
      pageHints: mappingsOfPage(pages, pageURL ?? "").map(({ context, topicID }) => ({ context, topicID })),
      corrections: corrected.map(({ text, topics }) => ({ text, topics })),
      quotes: corrected.map((correction) => correction.ticketMessageID),
      ...(modelName !== undefined && { modelName })
    })
  })

  const detectIn = fn("TopicDetections.detectIn")(function* (
    customerID: CustomerID,
    message: StoredMessage,
    { executeActions = false, modelName }: DetectTopicsQuery
  ) {
    const { ticketID, ticketMessageID } = message
    const isDecided = yield* topics.isCorrected(customerID, ticketMessageID)
    // No model is asked then, but a model name that does not exist is still refused.
    if (isDecided) yield* detection.check(customerID, modelName)
    const found = isDecided ? [] : yield* ask(customerID, message, modelName)
    yield* Effect.gen(function* () {
      yield* confirmClaim
      yield* messages.findForUpdate(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      if (!(yield* topics.isCorrected(customerID, ticketMessageID))) {
        yield* topics.replace(customerID, ticketMessageID, yield* material.keep(customerID, found))
      }
      yield* events.record(customerID, [
        { kind: "TopicsDetected", ticketID, ticketMessageID, details: { executeActions } }
      ])
    }).pipe(inTransaction)
  })

  return TopicDetections.of({
    detect: fn("TopicDetections.detect")(function* (customerID, ticketMessageID, query) {
      const message = yield* messages.find(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      yield* detectIn(customerID, message, query)
    }),

    detectFor: fn("TopicDetections.detectFor")(function* (ticketMessageID, query) {
      const caller = yield* CurrentCaller
      const message = yield* messages
        .find(caller.customerID, ticketMessageID)
        .pipe(Effect.map(Option.filter(isVisibleTo(caller))), access.orRefuse(ticketMessageID))
      yield* detectIn(caller.customerID, message, query)
    })
  })
})
