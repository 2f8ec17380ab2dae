import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PhoneContext, TicketAccess } from "./Authentication.ts"
import { ignoresIdempotencyKey, openToEveryOrigin } from "./Conventions.ts"
import { BadGateway, Conflict, Forbidden, NotFound } from "./Errors.ts"
import { pathId, TicketID, TicketMessageID } from "./Ids.ts"
import {
  CorrectTopics,
  DetectTopicsQuery,
  Done,
  EscalateMessage,
  Feedback,
  LikeDislikeQuery,
  MessagesOfTicketQuery,
  PromptDocuments,
  PromptDocumentsQuery,
  SendReply,
  TicketMessageCreate,
  TicketMessagesQuery,
  TicketMessageUpdate
} from "./TicketMessageBodies.ts"
import { TicketMessage, TicketMessagePage } from "./TicketMessages.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const id = pathId(TicketMessageID)

// Compared as text: a value that is not a GUID is simply not the token of any ticket.
const ticketToken = HttpApiSchema.param("ticketToken", Schema.String)

/** Routes that a phone token may call, too. */
export class TicketMessagesOnPhoneApi extends HttpApiGroup.make("ticketMessagesOnPhone")
  .add(
    HttpApiEndpoint.get("getTicketMessage")`/ticketMessages/${id}`
      .addSuccess(TicketMessage)
      .addError(NotFound)
      .addError(Forbidden)
      .annotateContext(
        described(
          "Read a message",
          "One message, with its ETag. Returns 403 for another customer's message and, with a phone token, for a message of another channel."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("createTicketMessage", "/ticketMessages/create-new")
      .setPayload(TicketMessageCreate)
      .addSuccess(TicketMessage)
      .addError(Forbidden)
      .annotateContext(
        described(
          "Add a message",
          "Appends to a ticket, or creates one: the end user is found by uid, else by fromAddress, else a new one is created. A representative's message is delivered on the ticket's channel unless its status is given as Sent. A phone token can write on its own channel only."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("listPromptDocuments")`/ticketMessages/${id}/promptDocuments`
      .setUrlParams(PromptDocumentsQuery)
      .addSuccess(PromptDocuments)
      .addError(NotFound)
      .addError(Forbidden)
      .annotateContext(
        described(
          "List the documents for a prompt",
          "The documents of the message's topics, of the hook if one is given, and those that are part of every prompt, most relevant first. A value in a static document is truncated after 100,000 characters, and the document after 4,194,304."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("detectTopics")`/ticketMessages/${id}/detect-topics`
      .setUrlParams(DetectTopicsQuery)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .addError(Forbidden)
      .addError(BadGateway)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        described(
          "Detect the topics by AI",
          "Replaces the topics that AI found before; topics corrected by a person stay, and no model is called then. The page from which the message was sent provides hints, and corrections of other messages serve as examples. A message without text gets no topics. Returns 400 without an AI key or a model for topics, or with an unknown modelName; 502 if the model fails or returns something unusable even after a retry, and then nothing changes. Idempotency-Key is ignored."
        )
      )
  )
  .middleware(PhoneContext)
  .annotateContext(
    OpenApi.annotations({
      title: "Ticket messages (also by phone)",
      description: "Routes that are also open to phone tokens."
    })
  ) {}

export class TicketMessagesApi extends HttpApiGroup.make("ticketMessages")
  .add(
    HttpApiEndpoint.get("listTicketMessages", "/ticketMessages")
      .setUrlParams(TicketMessagesQuery)
      .addSuccess(TicketMessagePage)
      .addError(NotFound)
      .annotateContext(described("List messages", "The messages of one ticket, oldest first."))
  )
  .add(
    HttpApiEndpoint.get("listMessagesOfTicket")`/tickets/${pathId(TicketID)}/messages`
      .setUrlParams(MessagesOfTicketQuery)
      .addSuccess(TicketMessagePage)
      .addError(NotFound)
      .annotateContext(described("List the messages of a ticket", "A page of them, oldest first."))
  )
  .add(
    HttpApiEndpoint.put("updateTicketMessage")`/ticketMessages/${id}`
      .setPayload(TicketMessageUpdate)
      .addError(NotFound)
      .addError(Forbidden)
      .annotateContext(
        described(
          "Change a message",
          "The prepared answer, the custom fields, whether it was opened. Other fields stay unchanged."
        )
      )
  )
  .add(
    HttpApiEndpoint.del("deleteTicketMessage")`/ticketMessages/${id}`
      .addError(NotFound)
      .addError(Forbidden)
      .annotateContext(described("Delete a message", "Its attachments are deleted as well."))
  )
  .add(
    HttpApiEndpoint.post("correctTopics")`/ticketMessages/${id}/correct-topics`
      .setPayload(CorrectTopics)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .addError(Forbidden)
      .annotateContext(
        described(
          "Correct the topics",
          "Replaces the message's topics. The correction is stored: detection never overrides it and learns from it."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("sendReply")`/ticketMessages/${id}/send`
      .setPayload(SendReply)
      .addSuccess(Done)
      .addError(NotFound)
      .addError(Forbidden)
      .addError(Conflict)
      .annotateContext(
        described(
          "Send the answer",
          "Sends modifiedAnswer, else the prepared answer, on the ticket's channel, with the files that representatives attached to the message; exactly once, however often it is called. Returns 409 for a message that is answered already and 400 for a representative's message. WhatsApp accepts no files and up to 1600 characters: with a file attached by a representative, or a longer text, returns 400 and nothing changes."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("escalateMessage")`/ticketMessages/${id}/escalate-by-id`
      .setPayload(EscalateMessage)
      .addSuccess(Done)
      .addError(NotFound)
      .addError(Forbidden)
      .addError(Conflict)
      .annotateContext(
        described(
          "Escalate a message",
          "Hands the ticket to a person: the ticket becomes Escalated and a notification mail is sent: only once, but every time to an `email` that is given. Spam cannot be escalated (409)."
        )
      )
  )
  .middleware(TicketAccess)
  .annotateContext(OpenApi.annotations({ title: "Ticket messages", description: "What was said in a ticket." })) {}

/** Routes that an end user may call with the token of the ticket. */
export class FeedbackApi extends HttpApiGroup.make("feedback")
  .add(
    HttpApiEndpoint.get("likeDislike")`/ticketMessages/${ticketToken}/like-dislike`
      .setUrlParams(LikeDislikeQuery)
      .addSuccess(Feedback)
      .addError(NotFound)
      .annotateContext(openToEveryOrigin)
      .annotateContext(
        described(
          "Like or dislike an answer",
          "Needs no login: the ticket's token is the credential. Calling it again changes nothing; a HEAD request or a browser's prefetch records nothing."
        )
      )
  )
  .annotateContext(OpenApi.annotations({ title: "Feedback", description: "What end users think of answers." })) {}
