import { Effect, Layer } from "effect"
import { makeEmailDelivery } from "../mail/EmailDelivery.ts"
import { Delivery } from "./Delivery.ts"
import { storedDelivery } from "./StoredDelivery.ts"
import { makeWhatsAppDelivery } from "./WhatsAppDelivery.ts"

/** Chat visitors and the phone client read the stored answer themselves. */
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
