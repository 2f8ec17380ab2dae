import { Effect, Option } from "effect"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { type DeliveryRoute, NotDelivered } from "../delivery/Delivery.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { makeMailDelivery } from "../sending/MailDelivery.ts"
import { makeGraphDelivery } from "./GraphDelivery.ts"
import { Mailboxes } from "./Mailboxes.ts"

/**
 * Sends answers by mail, from the channel's own mailbox or, where no mail provider is set up, through the service's
 * mailer. With an incomplete setup delivery fails: nobody expects answers from another address.
 */
export const makeEmailDelivery = Effect.gen(function* () {
  const channels = yield* ChannelsRepo
  const mailboxes = yield* Mailboxes
  const plain = yield* makeMailDelivery
  const viaGraph = yield* makeGraphDelivery
  return {
    check: plain.check,
    deliver: fn("EmailDelivery.deliver")(function* (customerID, message, attempt) {
      const channel = yield* channels.findEvenDeleted(customerID, message.channelID)
      const mailbox = Option.isNone(channel)
        ? Option.none()
        : yield* mailboxes
            .find(customerID, channel.value)
            .pipe(Effect.mapError(({ message }) => new NotDelivered({ message, permanent: true })))
      return yield* Option.isNone(mailbox)
        ? plain.deliver(customerID, message, Option.getOrNull(Option.map(channel, ({ emailAddress }) => emailAddress)))
        : viaGraph(customerID, mailbox.value, message, attempt)
    })
  } satisfies DeliveryRoute
})
