import { Effect, Layer } from "effect"
import { Delivery } from "./delivery/Delivery.ts"
import { makeEmailDelivery } from "./mail/EmailDelivery.ts"
import { storedDelivery } from "./sending/StoredDelivery.ts"
import { makeWhatsAppDelivery } from "./sending/WhatsAppDelivery.ts"

/** Chat and Phone only store the answer: the visitor and the phone client fetch it themselves. */
export const DeliveryLive = Layer.effect(
  Delivery,
  Effect.gen(function* () {
    return {
      Email: yield* makeEmailDelivery,
      Chat: storedDelivery,
      Phone: storedDelivery,
      WhatsApp: yield* makeWhatsAppDelivery
    }
  })
)
