import { Context, Data, type Effect } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { BadRequest } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID, CustomerRepID, TicketID, TicketMessageID } from "../../schema/Ids.ts"

interface Recipient {
  readonly channelID: ChannelID
  readonly channelType: ChannelType
  /** An address or a number; null when none is known. */
  readonly address: string | null
}

interface Content {
  readonly text: string
  readonly fileNames: ReadonlyArray<string>
}

export interface OutboundMessage extends Recipient {
  readonly ticketMessageID: TicketMessageID
  readonly ticketID: TicketID
  readonly ticketToken: string
  readonly customerRepID: CustomerRepID | null
  readonly createdAt: Date
  readonly subject: string | null
  /** Whether the ticket had any messages before this one. */
  readonly isReply: boolean
  readonly text: string
  /** The text as its author formatted it, if they did. */
  readonly html: string | null
  readonly language: string | null
  /** The message that this one answers. */
  readonly answersMessageID: TicketMessageID | null
}

/** The message was not delivered; the route decides whether a retry can help. */
export class NotDelivered extends Data.TaggedError("NotDelivered")<{
  readonly message: string
  readonly permanent: boolean
  /** Set when the provider said how long to wait. */
  readonly retryAfterSeconds?: number
  /** The provider is unreachable, so retries may go on for long: the message has not left, or the route finds out. */
  readonly isAway?: boolean
  /** The message was sent, but some of its recipients do not get it. */
  readonly hasLeft?: boolean
}> {}

/** Sends the messages of one type of channel. */
export interface DeliveryRoute {
  /** Runs before anything is stored; a 400 names what is missing, or what this channel cannot send. */
  readonly check: (customerID: CustomerID, recipient: Recipient, content: Content) => Effect.Effect<void, BadRequest>
  /** After the first attempt the message may have left before a crash; the route ensures that it arrives only once. */
  readonly deliver: (
    customerID: CustomerID,
    message: OutboundMessage,
    attempt: number
  ) => Effect.Effect<void, NotDelivered>
  /** Runs in the transaction that marks the message as sent. */
  readonly afterwards?: (customerID: CustomerID, message: OutboundMessage) => Effect.Effect<void>
}

/** One route for each type of channel. */
export class Delivery extends Context.Tag("casework/Delivery")<
  Delivery,
  Readonly<Record<ChannelType, DeliveryRoute>>
>() {}
