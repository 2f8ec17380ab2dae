import { Context, Effect, Layer } from "effect"
import { BadRequest, Conflict, type Forbidden, type NotFound } from "../../schema/Errors.ts"
import type { CustomerID, CustomerRepID, TicketMessageID } from "../../schema/Ids.ts"
import { AiRuns } from "../ai/AiRuns.ts"
import { Deliveries } from "../delivery/Deliveries.ts"
import { Events } from "../events/Events.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AgentJoins } from "./AgentJoins.ts"
import { MessageAccess } from "./MessageAccess.ts"
import { messageTexts } from "./MessageText.ts"
import { TicketMessagesRepo } from "./TicketMessagesRepo.ts"

/** Who answers: a representative, or null when an action does. */
export interface Author {
  readonly customerID: CustomerID
  readonly customerRepID: CustomerRepID | null
}

/** Answers to end users' messages. */
export class Replies extends Context.Tag("casework/Replies")<
  Replies,
  {
    /**
     * Sends the given text, else the prepared one. Of several concurrent attempts one succeeds and the others get 409,
     * as does an action when a person has changed its draft or written since.
     */
    readonly send: (
      author: Author,
      ticketMessageID: TicketMessageID,
      answer?: string
    ) => Effect.Effect<TicketMessageID, BadRequest | NotFound | Forbidden | Conflict>
  }
>() {
  static readonly layer = Layer.effect(
    Replies,
    Effect.suspend(() => make)
  )
}

const answered = () => Conflict.of("This message has already been answered.")

const isFilled = (text: string | null | undefined): text is string => (text ?? "").trim() !== ""

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const access = yield* MessageAccess
  const messages = yield* TicketMessagesRepo
  const attachments = yield* AttachmentsRepo
  const deliveries = yield* Deliveries
  const events = yield* Events
  const aiRuns = yield* AiRuns
  const agentJoins = yield* AgentJoins

  return Replies.of({
    send: fn("Replies.send")(function* ({ customerID, customerRepID }, ticketMessageID, answer) {
      const inbound = yield* messages.findForUpdate(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      const { channelID, endUserID, ticketID } = inbound
      if (inbound.senderType === "CustomerRep") {
        return yield* BadRequest.of(
          "This message was written by a representative. Call send on the end user's message."
        )
      }
      if (inbound.status === "Replied") return yield* answered()
      if (customerRepID === null && inbound.isAutomatic) {
        return yield* Conflict.of("This message was written by a program, so nobody would read an answer.")
      }
      if (customerRepID === null && inbound.isPersonsDraft) {
        return yield* Conflict.of("The prepared answer was changed by a person, who has to send it.")
      }
      if (customerRepID === null && (yield* messages.isAnsweredByPerson(customerID, inbound))) {
        return yield* answered()
      }
      const text = [answer, inbound.aiReply].find(isFilled)
      if (text === undefined) {
        return yield* BadRequest.at("modifiedAnswer", "is required: there is no prepared answer to send")
      }
      const files = yield* attachments.list(customerID, ticketMessageID)
      const provided = files.filter(({ isCustomerRepProvided }) => isCustomerRepProvided)
      const toAddress = yield* deliveries.addressFor(customerID, {
        channelID,
        endUserID,
        given: [inbound.fromAddress, inbound.uid],
        text,
        fileNames: provided.map(({ fileName }) => fileName)
      })
      if (!(yield* messages.claimReply(customerID, ticketMessageID))) return yield* answered()
      const reply = yield* messages.insert(customerID, ticketID, {
        ...messageTexts({ message: text }),
        channelID,
        senderType: "CustomerRep",
        customerRepID,
        status: "Queued",
        subject: inbound.subject,
        fromAddress: inbound.toAddress,
        fromName: null,
        toAddress,
        uid: inbound.uid,
        pageURL: null,
        pageScreenshot: null,
        messageDate: null,
        isOpened: false,
        isAutomatic: false,
        answersMessageID: ticketMessageID,
        customFieldsData: {}
      })
      if (customerRepID !== null) yield* agentJoins.note(customerID, ticketID, customerRepID)
      // Without this condition, a file attached just now would be sent unchecked.
      if (provided.length > 0) yield* attachments.copyProvided(customerID, ticketMessageID, reply)
      yield* deliveries.start(customerID, reply)
      yield* aiRuns.noteSent(customerID, ticketMessageID, text)
      yield* events.record(customerID, [{ kind: "MessageAdded", ticketID, ticketMessageID: reply }])
      return reply
    }, inTransaction)
  })
})
