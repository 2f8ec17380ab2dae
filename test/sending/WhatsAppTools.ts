import { Duration, Effect, Layer } from "effect"
import type { TicketMessageID } from "../../schema/Ids.ts"
import { TelephonyLimits } from "../../src/telephony/Telephony.ts"
import { TelephonyServer } from "../support/TelephonyServer.ts"
import { clientOf } from "../support/TestApp.ts"
import { messagesOf, newMessage } from "../ticketMessages/MessageTools.ts"
import { channelOf } from "../tickets/TicketTools.ts"

/** Runs the app with a phone provider on this machine. */
export const withTelephony = <A, E>(app: (overrides: Readonly<Record<string, string>>) => Layer.Layer<A, E>) =>
  Layer.unwrapEffect(Effect.map(TelephonyServer, ({ url }) => app({ TELEPHONY_BASE_URL: url }))).pipe(
    Layer.provide(Layer.succeed(TelephonyLimits, { longestCall: Duration.seconds(5) })),
    Layer.provideMerge(TelephonyServer.layer)
  )

export const reply = (id: TicketMessageID, modifiedAnswer: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessages }) =>
    ticketMessages.sendReply({ path: { id }, payload: { modifiedAnswer } })
  )

export const configure = Effect.flatMap(clientOf("acme-admin"), ({ customers }) =>
  customers.updateCustomer({ payload: { telephonyAuthToken: TelephonyServer.account.authToken } })
)

let numbers = 0

/** A message from a number that no other test uses. */
export const received = Effect.gen(function* () {
  numbers += 1
  const number = `+1555020${numbers}`
  const message = yield* newMessage({ channelID: yield* channelOf("WhatsApp"), uid: number, fromAddress: number })
  return { ...message, to: `whatsapp:${number}` }
})

export const outcome = (ticketID: Parameters<typeof messagesOf>[0]) =>
  Effect.map(messagesOf(ticketID), (items) => items.map(({ senderType, status }) => `${senderType} ${status}`))
