import { Effect, Option } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { Telephony, type TelephonyFailed } from "../telephony/Telephony.ts"
import { type DeliveryRoute, NotDelivered } from "./Delivery.ts"

const asNumber = (text: string) => `whatsapp:${text.replace(/^whatsapp:/i, "").replace(/[^+\d]/g, "")}`

const notDelivered = ({ message, refused }: TelephonyFailed) => new NotDelivered({ message, permanent: refused })

/** Answers on WhatsApp through the customer's account at the phone provider. */
export const makeWhatsAppDelivery = Effect.gen(function* () {
  const customers = yield* CustomerSettings
  const channels = yield* ChannelsRepo
  const telephony = yield* Telephony

  /** The account and the channel's own number, or what of it is missing. */
  const findSender = fn("WhatsAppDelivery.findSender")(function* (customerID: CustomerID, channelID: ChannelID) {
    const { telephonyAccountSID, telephonyAuthToken } = yield* customers.get(customerID)
    const from = Option.getOrNull(yield* channels.findConnectionDetails(customerID, channelID))
    if (telephonyAccountSID !== null && telephonyAuthToken !== null && from !== null) {
      return { account: { accountSID: telephonyAccountSID, authToken: telephonyAuthToken }, from }
    }
    const missing = [
      ...(telephonyAccountSID === null ? ["the customer's telephonyAccountSID"] : []),
      ...(telephonyAuthToken === null ? ["the customer's telephonyAuthToken"] : []),
      ...(from === null ? ["the channel's number in connectionDetails"] : [])
    ]
    return yield* BadRequest.of(`WhatsApp is not configured: ${missing.join(" and ")} is missing.`)
  })

  return {
    check: fn("WhatsAppDelivery.check")(function* (customerID, { address, channelID }) {
      yield* findSender(customerID, channelID)
      if (address === null)
        return yield* BadRequest.of("There is no number to send to: neither the message nor the end user has one.")
    }),
    deliver: fn("WhatsAppDelivery.deliver")(function* (customerID, outbound, attempt) {
      const { address, channelID, createdAt, text } = outbound
      if (address === null) return yield* new NotDelivered({ message: "There is no number", permanent: true })
      const { account, from } = yield* findSender(customerID, channelID).pipe(
        Effect.mapError(({ message }) => new NotDelivered({ message, permanent: true }))
      )
      const message = { from: asNumber(from), to: asNumber(address), body: text }
      // An earlier attempt may have got through although its answer was lost.
      const sent =
        attempt > 1 && (yield* telephony.wasSent(account, message, createdAt).pipe(Effect.mapError(notDelivered)))
      if (!sent) yield* telephony.send(account, message).pipe(Effect.mapError(notDelivered))
    })
  } satisfies DeliveryRoute
})
