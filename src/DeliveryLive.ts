import { Effect, Layer } from "effect"
import { Delivery } from "./delivery/Delivery.ts"
import { makeEmailDelivery } from "./mail/EmailDelivery.ts"
import { storedDelivery } from "./sending/StoredDelivery.ts"
import { makeChatDelivery } from "./sending/VisitorMail.ts"
import { makeWhatsAppDelivery } from "./sending/WhatsAppDelivery.ts"

/** Phone only stores the answer: the phone client fetches it itself. */
export const DeliveryLive = Layer.effect(
  Delivery,
  Effect.gen(function* () {
    return {
      Email: yield* makeEmailDelivery,
      Chat: yield* makeChatDelivery,
      Phone: storedDelivery,
      WhatsApp: yield* makeWhatsAppDelivery
    }
  })
)
