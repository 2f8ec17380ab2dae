import { Effect, Option } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { type DeliveryRoute, NotDelivered, type OutboundMessage } from "../delivery/Delivery.ts"
import { CurrentChain } from "../events/Chain.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { Telephony, type TelephonyAccount, type TelephonyFailed, type TextMessage } from "../telephony/Telephony.ts"
import { followText } from "./FollowText.ts"
import { SentTextsRepo } from "./SentTextsRepo.ts"

const asNumber = (text: string) => `whatsapp:${text.replace(/^whatsapp:/i, "").replace(/[^+\d]/g, "")}`

const notDelivered = ({ message, refused }: TelephonyFailed) =>
  new NotDelivered({ message, permanent: refused, isAway: !refused })

/**
 * The provider would fetch files from this service without reporting in time whether it could: that needs a public
 * address, and WhatsApp takes few file types, up to 16 MB and one per message. So no files are sent.
 */
const filesStay = (fileNames: ReadonlyArray<string>) =>
  `Files cannot be sent over WhatsApp: remove ${fileNames.join(", ")} from the message, or put a link in the text instead.`

// The provider's limit for one message.
const longestText = 1600

const tooLong = (length: number) =>
  `A WhatsApp message can have up to ${longestText} characters, but this one has ${length}: shorten it, or send it as several messages.`

/** Sends answers on WhatsApp through the customer's account at the phone provider. */
export const makeWhatsAppDelivery = Effect.gen(function* () {
  const customers = yield* CustomerSettings
  const channels = yield* ChannelsRepo
  const attachments = yield* AttachmentsRepo
  const sentTexts = yield* SentTextsRepo
  const telephony = yield* Telephony
  const jobs = yield* Jobs

  /** The account and the channel's number; fails with what is missing. */
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
    return yield* BadRequest.of(
      `WhatsApp is not configured: ${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} missing.`
    )
  })

  /** Whether an earlier attempt has got through although its response was lost. */
  const hasLeft = fn("WhatsAppDelivery.hasLeft")(function* (
    customerID: CustomerID,
    { createdAt, ticketMessageID }: OutboundMessage,
    account: TelephonyAccount,
    message: TextMessage
  ) {
    if (Option.isSome(yield* sentTexts.find(customerID, ticketMessageID))) return true
    // The same text may have gone to that number as another message.
    for (const sid of yield* telephony.findSent(account, message, createdAt)) {
      if (yield* sentTexts.claim(customerID, ticketMessageID, sid)) return true
    }
    return false
  })

  /** Files that were added while the message waited would be dropped unnoticed. */
  const refuseFiles = fn("WhatsAppDelivery.refuseFiles")(function* (
    customerID: CustomerID,
    { ticketMessageID }: OutboundMessage
  ) {
    const fileNames = (yield* attachments.list(customerID, ticketMessageID)).map(({ fileName }) => fileName)
    if (fileNames.length > 0) return yield* new NotDelivered({ message: filesStay(fileNames), permanent: true })
  })

  return {
    check: fn("WhatsAppDelivery.check")(function* (customerID, { address, channelID }, { fileNames, text }) {
      yield* findSender(customerID, channelID)
      if (address === null)
        return yield* BadRequest.of("There is no number to send to: neither the message nor the end user has one.")
      if (fileNames.length > 0) return yield* BadRequest.of(filesStay(fileNames))
      if (text.length > longestText) return yield* BadRequest.of(tooLong(text.length))
    }),
    deliver: fn("WhatsAppDelivery.deliver")(function* (customerID, outbound, attempt) {
      const { address, channelID, text, ticketMessageID } = outbound
      if (address === null)
        return yield* new NotDelivered({ message: "There is no number to send to", permanent: true })
      const { account, from } = yield* findSender(customerID, channelID).pipe(
        Effect.mapError(({ message }) => new NotDelivered({ message, permanent: true }))
      )
      const message = { from: asNumber(from), to: asNumber(address), body: text }
      const left =
        attempt > 1 && (yield* hasLeft(customerID, outbound, account, message).pipe(Effect.mapError(notDelivered)))
      if (left) return
      yield* refuseFiles(customerID, outbound)
      const sid = yield* telephony.send(account, message).pipe(Effect.mapError(notDelivered))
      if (yield* sentTexts.claim(customerID, ticketMessageID, sid)) return
      // Another message with the same text has found it at the provider before the response came, and will not be sent
      // itself.
      return yield* new NotDelivered({
        message: "It could not be told apart from another message with the same text",
        permanent: false
      })
    }),
    // It may turn out later that an accepted message was not delivered.
    afterwards: fn("WhatsAppDelivery.afterwards")(function* (customerID, { ticketMessageID }) {
      const automationRunID = (yield* CurrentChain)?.automationRunID ?? null
      yield* jobs.enqueue(followText, customerID, { ticketMessageID, automationRunID }, String(ticketMessageID))
    })
  } satisfies DeliveryRoute
})
