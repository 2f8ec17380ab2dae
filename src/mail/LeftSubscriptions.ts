import { Context, Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { failureKind } from "./FailureKind.ts"
import { type HeldSubscription, HeldSubscriptionsRepo } from "./HeldSubscriptionsRepo.ts"
import { Mailboxes } from "./Mailboxes.ts"
import { MailFoldersRepo } from "./MailFoldersRepo.ts"
import { MailGraph } from "./MailGraph.ts"

const longestCall = "20 seconds"

/** Subscriptions that remain at the mail provider for a customer whose channels are all deleted. */
export class LeftSubscriptions extends Context.Tag("casework/LeftSubscriptions")<
  LeftSubscriptions,
  {
    /** Returns how many the provider has ended, and how many it did not, which expire by themselves within days. */
    readonly end: (customerID: CustomerID) => Effect.Effect<{ readonly ended: number; readonly left: number }>
  }
>() {
  static readonly layer = Layer.effect(
    LeftSubscriptions,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const subscriptions = yield* HeldSubscriptionsRepo
  const channels = yield* ChannelsRepo
  const folders = yield* MailFoldersRepo
  const mailboxes = yield* Mailboxes
  const graph = yield* MailGraph

  const endOne = fn("LeftSubscriptions.endOne")(function* (
    customerID: CustomerID,
    { channelID, subscriptionID }: HeldSubscription
  ) {
    // Another customer's channel of the same mailbox still uses it.
    if ((yield* folders.holding(subscriptionID)).length > 0) return
    const channel = yield* Effect.flatten(channels.findEvenDeleted(customerID, channelID))
    yield* graph.unsubscribe(yield* mailboxes.of(customerID, channel), subscriptionID)
  })

  return LeftSubscriptions.of({
    end: fn("LeftSubscriptions.end")(function* (customerID) {
      const held = yield* subscriptions.list(customerID)
      const outcomes = yield* Effect.forEach(
        held,
        // No failure may keep the customer from being deleted, not even a secret that cannot be decrypted.
        (one) =>
          endOne(customerID, one).pipe(
            Effect.timeout(longestCall),
            Effect.tapErrorCause((cause) =>
              Effect.logWarning("a subscription could not be ended and is left to expire", failureKind(cause))
            ),
            Effect.sandbox,
            Effect.option
          ),
        { concurrency: 4 }
      )
      const ended = outcomes.filter(Option.isSome).length
      return { ended, left: held.length - ended }
    })
  })
})
