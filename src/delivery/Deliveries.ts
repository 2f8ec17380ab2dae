import { Context, Effect, Layer, Option } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID, EndUserID, TicketMessageID } from "../../schema/Ids.ts"
import { fits } from "../../schema/Recipients.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { CurrentChain } from "../events/Chain.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { Delivery } from "./Delivery.ts"
import { deliverMessage } from "./DeliveryJobs.ts"
import { RecipientsRepo } from "./RecipientsRepo.ts"

interface Destination {
  readonly channelID: ChannelID
  readonly endUserID: EndUserID | null
  /** The address that the caller asked for. */
  readonly wanted?: string | undefined
  /** The addresses that the conversation so far came from, the most reliable first. */
  readonly given: ReadonlyArray<string | null | undefined>
  /** The files to send along; not every channel takes files. */
  readonly fileNames?: ReadonlyArray<string>
  /** The text to send; some channels limit its length. */
  readonly text: string | null
}

/** Starts the delivery of answers. Call both functions in the transaction that stores the message. */
export class Deliveries extends Context.Tag("casework/Deliveries")<
  Deliveries,
  {
    /** The address that a message on this channel goes to; a 400 names what keeps the channel from delivering it. */
    readonly addressFor: (customerID: CustomerID, destination: Destination) => Effect.Effect<string | null, BadRequest>
    readonly start: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const channels = yield* ChannelsRepo
      const recipients = yield* RecipientsRepo
      const delivery = yield* Delivery
      const jobs = yield* Jobs
      return {
        addressFor: fn("Deliveries.addressFor")(function* (customerID, destination) {
          const { channelID, endUserID, fileNames = [], given, text, wanted = "" } = destination
          const channelType = yield* Effect.flatMap(
            channels.findType(customerID, channelID),
            Option.match({
              onNone: () => BadRequest.of("The channel of this ticket has been deleted, so nothing can be sent on it."),
              onSome: Effect.succeed
            })
          )
          const canSendTo = fits[channelType]
          if (wanted.trim() !== "" && !canSendTo(wanted)) {
            return yield* BadRequest.at(
              "toAddress",
              `is not an address that a channel of type ${channelType} can send to`
            )
          }
          const known = endUserID === null ? [] : yield* recipients.addressesOf(customerID, endUserID, channelType)
          const candidates = [wanted, ...given, ...known]
          const address = candidates.find((text) => typeof text === "string" && canSendTo(text)) ?? null
          const content = { text: text ?? "", fileNames }
          yield* delivery[channelType].check(customerID, { channelID, channelType, address }, content)
          return address
        }),
        start: fn("Deliveries.start")(function* (customerID, ticketMessageID) {
          const automationRunID = (yield* CurrentChain)?.automationRunID ?? null
          yield* jobs.enqueue(deliverMessage, customerID, { ticketMessageID, automationRunID })
        })
      }
    })
  )
}
