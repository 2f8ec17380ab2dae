import { Context, Effect, Layer, Option } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID, EndUserID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { TicketMessage } from "../../schema/TicketMessages.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { Deliveries } from "../delivery/Deliveries.ts"
import { RecipientsRepo } from "../delivery/RecipientsRepo.ts"
import { EndUsers } from "../endUsers/EndUsers.ts"
import { wordsOf } from "../endUsers/SenderIdentity.ts"
import { Events } from "../events/Events.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { ReadyJson } from "../platform/database/ReadyJson.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { TicketChanges } from "../tickets/TicketChanges.ts"
import { type LockedTicket, TicketsRepo } from "../tickets/TicketsRepo.ts"
import { AgentJoins } from "./AgentJoins.ts"
import { type Incoming, isToBeDelivered, messageOf, senderOf } from "./IncomingMessage.ts"
import { ticketSubject } from "./MessageText.ts"
import { OpeningsRepo } from "./OpeningsRepo.ts"
import { TicketMessagesRepo } from "./TicketMessagesRepo.ts"

export interface Added {
  readonly ticketID: TicketID
  readonly ticketMessageID: TicketMessageID
  /** The message as the API shows it, if that is already known. */
  readonly shown?: ReadyJson<TicketMessage>
}

/** The one way a message gets into a ticket, whatever brought it: REST, mail, chat or phone. */
export class NewMessages extends Context.Tag("casework/NewMessages")<
  NewMessages,
  {
    readonly add: (
      customerID: CustomerID,
      message: Incoming,
      /** Reads the message inside the transaction: as soon as it commits, what follows may change the message. */
      show?: (ticketMessageID: TicketMessageID) => Effect.Effect<ReadyJson<TicketMessage>>
    ) => Effect.Effect<Added, BadRequest>
  }
>() {
  static readonly layer = Layer.effect(
    NewMessages,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const channels = yield* ChannelsRepo
  const tickets = yield* TicketsRepo
  const messages = yield* TicketMessagesRepo
  const changes = yield* TicketChanges
  const endUsers = yield* EndUsers
  const deliveries = yield* Deliveries
  const recipients = yield* RecipientsRepo
  const events = yield* Events
  const agentJoins = yield* AgentJoins
  const openings = yield* OpeningsRepo

  /** Finds the ticket and the channel that a message names; reports what is wrong with both at once. */
  const findPlace = fn("NewMessages.findPlace")(function* (
    customerID: CustomerID,
    { answers, boundToChannel, channelID, ticketID }: Incoming
  ) {
    const [ticket] = ticketID === undefined ? [] : yield* tickets.lock(customerID, [ticketID])
    const known = (boundToChannel ?? ticket?.channelID) === ticket?.channelID ? ticket : undefined
    const isOwn = channelID === undefined || Option.isSome(yield* channels.findType(customerID, channelID))
    const problems = [
      ...(ticketID === undefined || known !== undefined
        ? []
        : [{ path: "ticketID", message: "is not one of your tickets" }]),
      ...(isOwn ? [] : [{ path: "channelID", message: "is not one of your channels" }])
    ]
    if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
    const place = channelID ?? answers?.channelID ?? known?.channelID
    return place === undefined
      ? yield* BadRequest.at("channelID", "is required when there is no ticketID")
      : { known, channelID: place }
  })

  /** The end user at the other end, if anything identifies them. */
  const findEndUser = fn("NewMessages.findEndUser")(function* (customerID: CustomerID, message: Incoming) {
    if (message.senderType !== "CustomerRep") return yield* endUsers.forSender(customerID, senderOf(message))
    const { toAddress, uid } = message
    if (uid === undefined && toAddress === undefined) return null
    return yield* endUsers.forSender(customerID, { ...senderOf(message), fromAddress: toAddress, fromName: null })
  })

  const openTicket = fn("NewMessages.openTicket")(function* (
    customerID: CustomerID,
    channelID: ChannelID,
    message: Incoming,
    text: string | null
  ) {
    const endUserID = yield* findEndUser(customerID, message)
    const subject = ticketSubject(message.subject, text)
    const ticketID = yield* tickets.insert(customerID, {
      channelID,
      endUserID,
      status: "Open",
      subject,
      customFieldsData: {},
      firstSender: message.senderType ?? "EndUser"
    })
    return { ticketID, endUserID }
  })

  /** A ticket without a known end user gets one from its next message, unless a program wrote that: it may be a bounce. */
  const completeTicket = fn("NewMessages.completeTicket")(function* (
    customerID: CustomerID,
    ticket: LockedTicket,
    message: Incoming
  ): Effect.fn.Return<{ readonly ticketID: TicketID; readonly endUserID: EndUserID | null }> {
    const { ticketID } = ticket
    if (ticket.endUserID !== null || message.isAutomatic === true) return ticket
    if (message.uid === undefined && message.fromAddress === undefined) return ticket
    const endUserID = yield* findEndUser(customerID, message)
    yield* tickets.update(customerID, ticketID, { endUserID })
    return { ticketID, endUserID }
  })

  /** Fast path for the most frequent case: the first message of a known end user. */
  const open = fn("NewMessages.open")(function* (
    customerID: CustomerID,
    incoming: Incoming
  ): Effect.fn.Return<Option.Option<Added>> {
    const { channelID, isAutomatic = false, senderType = "EndUser", ticketID } = incoming
    const words = wordsOf(senderOf(incoming))
    if (channelID === undefined || ticketID !== undefined || senderType !== "EndUser" || words.length === 0) {
      return Option.none()
    }
    const following = yield* events.opening(customerID, { isAutomatic })
    if (Option.isNone(following)) return Option.none()
    const message = messageOf(incoming, channelID)
    const subject = ticketSubject(incoming.subject, message.message)
    return yield* openings.open(customerID, { words, subject, message, following: following.value })
  })

  /** The addresses that the conversation so far came from, the most reliable first. */
  const givenFor = ({ answers, uid }: Incoming, customerID: CustomerID, ticketID: TicketID, channelID: ChannelID) =>
    answers === undefined
      ? Effect.map(recipients.lastSenderIn(customerID, ticketID, channelID), (sender) => [uid, ...sender])
      : Effect.succeed([uid, answers.fromAddress, answers.uid])

  const add = fn("NewMessages.add")(function* (
    customerID: CustomerID,
    incoming: Incoming,
    show?: (ticketMessageID: TicketMessageID) => Effect.Effect<ReadyJson<TicketMessage>>
  ): Effect.fn.Return<Added, BadRequest> {
    const { isAutomatic = false, senderType = "EndUser" } = incoming
    const { channelID, known } = yield* findPlace(customerID, incoming)
    const message = messageOf(incoming, channelID)
    const ticket =
      known === undefined
        ? yield* openTicket(customerID, channelID, incoming, message.message)
        : yield* completeTicket(customerID, known, incoming)
    const isOurs = senderType === "CustomerRep"
    const isDelivered = isToBeDelivered(incoming)
    const toAddress = isDelivered
      ? yield* deliveries.addressFor(customerID, {
          channelID,
          endUserID: ticket.endUserID,
          wanted: incoming.toAddress,
          text: message.message,
          given: yield* givenFor(incoming, customerID, ticket.ticketID, channelID)
        })
      : message.toAddress
    const ticketMessageID = yield* messages.insert(customerID, ticket.ticketID, {
      ...message,
      ...(isOurs && { customerRepID: incoming.customerRepID ?? null, status: isDelivered ? "Queued" : "Sent" }),
      toAddress
    })
    const added = { ticketID: ticket.ticketID, ticketMessageID }
    if (isOurs && incoming.customerRepID) {
      yield* agentJoins.note(customerID, ticket.ticketID, incoming.customerRepID)
    }
    if (isDelivered) yield* deliveries.start(customerID, ticketMessageID)
    if (known !== undefined && !isOurs) {
      yield* changes
        .apply(customerID, [known], [{ _tag: "ReceiveMessage", isAutomatic }], ticketMessageID)
        .pipe(Effect.catchTag("Conflict", Effect.die))
    }
    yield* events.record(customerID, [
      ...(known === undefined
        ? [{ kind: "TicketCreated", ticketID: ticket.ticketID, details: { hasMessage: !isOurs } } as const]
        : []),
      {
        kind: isOurs ? "MessageAdded" : "MessageReceived",
        ...added,
        details: { isAutomatic, opensTicket: known === undefined }
      }
    ])
    return show === undefined ? added : { ...added, shown: yield* show(ticketMessageID) }
  }, inTransaction)

  return NewMessages.of({
    add: (customerID, incoming, show) =>
      Effect.flatMap(
        open(customerID, incoming),
        Option.match({ onNone: () => add(customerID, incoming, show), onSome: Effect.succeed })
      )
  })
})
