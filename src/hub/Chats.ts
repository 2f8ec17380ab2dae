import { Context, Effect, Layer, Option } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import { BadRequest, type Conflict, NotFound } from "../../schema/Errors.ts"
import {
  type HubRequestAgent,
  type HubSendMessage,
  HubSentMessage,
  type ResumedChat,
  visitorAddressField
} from "../../schema/Hub.ts"
import type { CustomerID, TicketID } from "../../schema/Ids.ts"
import { Feedback } from "../../schema/TicketMessageBodies.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { ReadyJson } from "../platform/database/ReadyJson.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PresenceRepo } from "../representatives/PresenceRepo.ts"
import { AgentJoins } from "../ticketMessages/AgentJoins.ts"
import { Escalations } from "../ticketMessages/Escalations.ts"
import { FeedbackRepo } from "../ticketMessages/FeedbackRepo.ts"
import { NewMessages } from "../ticketMessages/NewMessages.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { ChatsRepo } from "./ChatsRepo.ts"
import type { Visitor } from "./HubClients.ts"
import { switchedOff } from "./OpenChats.ts"

type Begun = (ticketID: TicketID) => Effect.Effect<void>

/** What representatives and visitors do in tickets through the hub. */
export class Chats extends Context.Tag("casework/Chats")<
  Chats,
  {
    /**
     * Writes in the visitor's own chat; the first message creates the ticket. NotFound if the chat was deleted. Calls
     * `begun` with the ticket before anybody can hear of it, so that a client which follows it then gets the message,
     * too.
     */
    readonly write: (
      visitor: Visitor,
      chat: TicketID | undefined,
      message: HubSendMessage,
      begun: Begun
    ) => Effect.Effect<HubSentMessage, BadRequest | NotFound>
    readonly answer: (rep: Representative, message: HubSendMessage) => Effect.Effect<HubSentMessage, BadRequest>
    /**
     * Calls `found` with the ticket before reading the chat, so that nothing is missed between reading and following.
     */
    readonly resume: (
      visitor: Visitor,
      ticketToken: string,
      found: (ticketID: TicketID) => Effect.Effect<void>
    ) => Effect.Effect<ReadyJson<ResumedChat>, NotFound>
    readonly join: (rep: Representative, ticketID: TicketID) => Effect.Effect<void, NotFound>
    readonly requestAgent: (
      visitor: Visitor,
      chat: TicketID,
      request: HubRequestAgent
    ) => Effect.Effect<Feedback, BadRequest | NotFound | Conflict>
    /** The display name of a ticket's end user. */
    readonly endUserName: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<string, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Chats,
    Effect.suspend(() => make)
  )
}

const anonymous = "Chat visitor"

const noSuchChat = "There is no such chat."

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* ChatsRepo
  const channels = yield* ChannelsRepo
  const tickets = yield* TicketsRepo
  const newMessages = yield* NewMessages
  const escalations = yield* Escalations
  const feedback = yield* FeedbackRepo
  const agentJoins = yield* AgentJoins
  const presence = yield* PresenceRepo

  const about = (customerID: CustomerID, ticketID: TicketID) =>
    repo.about(customerID, ticketID).pipe(orNotFound(`There is no ticket ${ticketID}.`))

  /** An admitted visitor may stay connected for a moment after the channel was switched off. */
  const isOpen = ({ channelID, customerID }: Visitor) =>
    Effect.filterOrElse(
      channels.find(customerID, channelID),
      Option.exists(({ isActive }) => isActive),
      () => BadRequest.of(switchedOff)
    )

  const sent = fn("Chats.sent")(function* (
    customerID: CustomerID,
    ticketID: TicketID,
    messageID: HubSentMessage["messageID"]
  ) {
    const { ticketToken } = yield* Effect.orDie(about(customerID, ticketID))
    return new HubSentMessage({ ticketID, ticketToken, messageID })
  })

  const add = fn("Chats.add")(function* (customerID: CustomerID, message: Parameters<typeof newMessages.add>[1]) {
    const { ticketID, ticketMessageID } = yield* newMessages.add(customerID, message)
    return yield* sent(customerID, ticketID, ticketMessageID)
  })

  const messageOf = ({ channelID }: Visitor, { message, pageURL }: HubSendMessage) => ({
    channelID,
    boundToChannel: channelID,
    message,
    fromName: anonymous,
    ...(pageURL !== undefined && { pageURL })
  })

  const begin = fn("Chats.begin")(function* (visitor: Visitor, message: HubSendMessage, begun: Begun) {
    const { customerID } = visitor
    const { ticketID, ticketMessageID } = yield* newMessages.add(customerID, messageOf(visitor, message))
    if (message.ticketToken !== undefined) yield* repo.setToken(customerID, ticketID, message.ticketToken)
    yield* begun(ticketID)
    return yield* sent(customerID, ticketID, ticketMessageID)
  }, inTransaction)

  const goOn = (visitor: Visitor, ticketID: TicketID, message: HubSendMessage) =>
    add(visitor.customerID, { ticketID, ...messageOf(visitor, message) }).pipe(
      Effect.catchTag("BadRequest", (problem) =>
        repo.about(visitor.customerID, ticketID).pipe(orNotFound(noSuchChat), Effect.zipRight(Effect.fail(problem)))
      )
    )

  /**
   * A visitor that chose the chat's token and does not know whether the chat began sends its first message again: it is
   * not stored twice. None if the chat did not begin.
   */
  const sayAgain = fn("Chats.sayAgain")(function* (visitor: Visitor, message: HubSendMessage, begun: Begun) {
    const { channelID, customerID } = visitor
    if (message.ticketToken === undefined) return Option.none()
    const chat = yield* repo.findByToken(customerID, channelID, message.ticketToken)
    if (Option.isNone(chat)) return Option.none()
    yield* begun(chat.value)
    const said = yield* repo.findLastSaid(customerID, chat.value, message.message)
    return Option.some(
      Option.isSome(said) ? yield* sent(customerID, chat.value, said.value) : yield* goOn(visitor, chat.value, message)
    )
  })

  return Chats.of({
    write: fn("Chats.write")(function* (visitor, chat, message, begun) {
      yield* isOpen(visitor)
      if (chat !== undefined) return yield* goOn(visitor, chat, message)
      const again = sayAgain(visitor, message, begun)
      const said = yield* again
      if (Option.isSome(said)) return said.value
      const isTaken = () => BadRequest.at("ticketToken", "is already in use")
      return yield* begin(visitor, message, begun).pipe(
        // The chat may have been started on another connection by now.
        Effect.catchTag("Duplicate", () =>
          Effect.flatMap(again, Option.match({ onNone: isTaken, onSome: Effect.succeed }))
        )
      )
    }),

    answer: fn("Chats.answer")(function* ({ customerID, customerRepID }, { message, ticketID }) {
      if (ticketID === undefined) return yield* BadRequest.at("ticketID", "is required")
      return yield* add(customerID, { ticketID, senderType: "CustomerRep", customerRepID, message })
    }),

    resume: fn("Chats.resume")(function* ({ channelID, customerID }, ticketToken, found) {
      const ticketID = yield* repo.findByToken(customerID, channelID, ticketToken).pipe(orNotFound(noSuchChat))
      yield* found(ticketID)
      return yield* repo.resume(customerID, ticketID).pipe(orNotFound(noSuchChat))
    }),

    join: fn("Chats.join")(function* ({ customerID, customerRepID }, ticketID) {
      const [ticket] = yield* tickets.lock(customerID, [ticketID])
      if (ticket === undefined) return yield* NotFound.of(`There is no ticket ${ticketID}.`)
      yield* agentJoins.note(customerID, ticketID, customerRepID)
    }, inTransaction),

    requestAgent: fn("Chats.requestAgent")(function* (visitor, chat, { email }) {
      yield* isOpen(visitor)
      const { customerID } = visitor
      const { hasAddress, lastMessageID, ticketToken } = yield* about(customerID, chat)
      if (lastMessageID === null) return yield* BadRequest.of("Send a message first.")
      yield* escalations
        .escalate(customerID, lastMessageID, {
          visitor: { replyTo: email, leavesAddress: email !== undefined && !hasAddress }
        })
        .pipe(Effect.catchTag("Forbidden", Effect.die))
      if (email !== undefined) yield* tickets.setCustomField(customerID, chat, visitorAddressField, email)
      const { customerRepName } = yield* feedback.find(ticketToken).pipe(orNotFound(`There is no ticket ${chat}.`))
      return new Feedback({ agentAvailable: yield* presence.isAgentAvailable(customerID), customerRepName })
    }, inTransaction),

    endUserName: fn("Chats.endUserName")(function* (customerID, ticketID) {
      return (yield* about(customerID, ticketID)).endUserName ?? anonymous
    })
  })
})
