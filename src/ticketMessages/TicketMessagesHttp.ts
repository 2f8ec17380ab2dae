import { HttpApiBuilder, type HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { CurrentRep } from "../../schema/Authentication.ts"
import { PromptDocuments as Documents, Done } from "../../schema/TicketMessageBodies.ts"
import { sendReady } from "../platform/database/ReadyJson.ts"
import { Escalations } from "./Escalations.ts"
import { Feedbacks } from "./Feedbacks.ts"
import { PromptDocuments } from "./PromptDocuments.ts"
import { Replies } from "./Replies.ts"
import { TicketMessages } from "./TicketMessages.ts"
import { TopicDetections } from "./TopicDetections.ts"

export const TicketMessagesOnPhoneHttp = HttpApiBuilder.group(CaseworkApi, "ticketMessagesOnPhone", (handlers) =>
  Effect.gen(function* () {
    const messages = yield* TicketMessages
    const documents = yield* PromptDocuments
    const detections = yield* TopicDetections
    return handlers
      .handle("getTicketMessage", ({ path }) => Effect.map(messages.get(path.id), sendReady))
      .handle("createTicketMessage", ({ payload }) => Effect.map(messages.create(payload), sendReady))
      .handle("detectTopics", ({ path, urlParams }) => detections.detectFor(path.id, urlParams))
      .handle("listPromptDocuments", ({ path, urlParams }) =>
        Effect.map(documents.list(path.id, urlParams), (promptDocuments) => new Documents({ promptDocuments }))
      )
  })
)

export const TicketMessagesHttp = HttpApiBuilder.group(CaseworkApi, "ticketMessages", (handlers) =>
  Effect.gen(function* () {
    const messages = yield* TicketMessages
    const replies = yield* Replies
    const escalations = yield* Escalations
    return handlers
      .handle("listTicketMessages", ({ urlParams: { ticketId, ...query } }) =>
        Effect.map(messages.list(ticketId, query), sendReady)
      )
      .handle("listMessagesOfTicket", ({ path, urlParams }) => Effect.map(messages.list(path.id, urlParams), sendReady))
      .handle("updateTicketMessage", ({ path, payload }) => messages.update(path.id, payload))
      .handle("deleteTicketMessage", ({ path }) => messages.delete(path.id))
      .handle("correctTopics", ({ path, payload }) => messages.correctTopics(path.id, payload))
      .handle("sendReply", ({ path, payload }) =>
        CurrentRep.pipe(
          Effect.flatMap((rep) => replies.send(rep, path.id, payload.modifiedAnswer)),
          Effect.as(new Done({ message: "The answer is being sent." }))
        )
      )
      .handle("escalateMessage", ({ path, payload }) =>
        CurrentRep.pipe(
          Effect.flatMap(({ customerID }) => escalations.escalate(customerID, path.id, payload)),
          Effect.map(
            Option.match({
              onNone: () => "The message has been escalated.",
              onSome: (told) => `The message has been escalated; ${told} is notified by mail.`
            })
          ),
          Effect.map((message) => new Done({ message }))
        )
      )
  })
)

/** Whether a mail program or browser is only prefetching the link. */
const isOnlyLook = ({ headers, method }: HttpServerRequest.HttpServerRequest) =>
  method === "HEAD" ||
  [headers["purpose"], headers["sec-purpose"], headers["x-purpose"], headers["x-moz"]].some((purpose) =>
    /prefetch|preview/i.test(purpose ?? "")
  )

export const FeedbackHttp = HttpApiBuilder.group(CaseworkApi, "feedback", (handlers) =>
  Effect.gen(function* () {
    const feedbacks = yield* Feedbacks
    return handlers.handle("likeDislike", ({ path, request, urlParams }) =>
      feedbacks.give(path.ticketToken, urlParams.like, isOnlyLook(request))
    )
  })
)
