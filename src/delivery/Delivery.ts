import { Context, Data, type Effect } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { BadRequest } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID, CustomerRepID, TicketID, TicketMessageID } from "../../schema/Ids.ts"

/** Where an answer is to go. */
interface Recipient {
  readonly channelID: ChannelID
  readonly channelType: ChannelType
  /** An address or a number; null when none is known. */
  readonly address: string | null
}

/** What is to be sent. */
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
  /** Whether anything stood in the ticket before it. */
  readonly isReply: boolean
  readonly text: string
  /** The same as its author formatted it, where they did. */
  readonly html: string | null
  readonly language: string | null
  /** The message that this one answers. */
  readonly answersMessageID: TicketMessageID | null
}

/** It did not arrive; whether trying again can help is the route's to say. */
export class NotDelivered extends Data.TaggedError("NotDelivered")<{
  readonly message: string
  readonly permanent: boolean
  /** When the route was told how long to wait. */
  readonly retryAfterSeconds?: number
  /** Nobody there to take it, so that it may be tried for long: it has not left, or the route would find out. */
  readonly isAway?: boolean
  /** Only some of its recipients do not get it. */
  readonly hasLeft?: boolean
}> {}

/** How messages of one type of channel leave the house. */
export interface DeliveryRoute {
  /** 400 names what is missing, or what of it cannot go this way, before anything is stored. */
  readonly check: (customerID: CustomerID, recipient: Recipient, content: Content) => Effect.Effect<void, BadRequest>
  /** From the second attempt on it may have left already, before a crash: the route sees to it that it arrives once. */
  readonly deliver: (
    customerID: CustomerID,
    message: OutboundMessage,
    attempt: number
  ) => Effect.Effect<void, NotDelivered>
}

/** One route for each type of channel. */
export class Delivery extends Context.Tag("casework/Delivery")<
  Delivery,
  Readonly<Record<ChannelType, DeliveryRoute>>
>() {}
