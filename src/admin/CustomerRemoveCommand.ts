import { Command } from "@effect/cli"
import { Console, Effect, Layer } from "effect"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { CustomerRemoval } from "../customerRemoval/CustomerRemoval.ts"
import { CustomerRemovalRepo } from "../customerRemoval/CustomerRemovalRepo.ts"
import { CustomerProfileRepo } from "../customers/CustomerProfileRepo.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { BlobStoreLive } from "../files/BlobStoreLive.ts"
import { Blobs } from "../files/Blobs.ts"
import { BlobsRepo } from "../files/BlobsRepo.ts"
import { HeldSubscriptionsRepo } from "../mail/HeldSubscriptionsRepo.ts"
import { LeftSubscriptions } from "../mail/LeftSubscriptions.ts"
import { Mailboxes } from "../mail/Mailboxes.ts"
import { MailFoldersRepo } from "../mail/MailFoldersRepo.ts"
import { MicrosoftGraph } from "../mail/MicrosoftGraph.ts"
import { Stopping } from "../platform/concurrency/Stopping.ts"
import { GuardedHttpClient } from "../platform/outbound/Outbound.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { counted } from "../platform/text/Counted.ts"
import { confirmByName, yes } from "./Confirmation.ts"
import { customer } from "./CustomerArgument.ts"
import { Provisioning } from "./Provisioning.ts"

const Tools = CustomerRemoval.layer.pipe(
  Layer.provide(Layer.mergeAll(Blobs.layer, CustomerRemovalRepo.layer, LeftSubscriptions.layer)),
  Layer.provide(Layer.mergeAll(BlobsRepo.layer, BlobStoreLive, Jobs.layer.pipe(Layer.provide(Stopping.layer)))),
  Layer.provide(
    Layer.mergeAll(
      Mailboxes.layer,
      ChannelsRepo.layer,
      HeldSubscriptionsRepo.layer,
      MailFoldersRepo.layer,
      MicrosoftGraph
    )
  ),
  Layer.provide(Layer.merge(CustomerSettings.layer, GuardedHttpClient.layer)),
  Layer.provide(CustomerProfileRepo.layer)
)

const worded = (table: string, count: number) => `${table.replaceAll("_", " ")} ${count}`

const wait =
  "First all nodes stop working for the customer; after that the removal may take minutes. If it is interrupted, run the command again to continue."

export const customerRemoveCommand = Command.make("remove", { customer, yes }, ({ customer, yes }) =>
  Effect.gen(function* () {
    const { customerID, name } = yield* Effect.flatMap(Provisioning, (them) => them.customerNamed(customer))
    if (!yes) yield* confirmByName(`This removes "${name}" with all its data and cannot be undone.`, name)
    yield* Console.error(wait)
    const { counts, subscriptions } = yield* Effect.flatMap(CustomerRemoval, (them) => them.remove(customerID))
    const removed = [...counts].filter(([, count]) => count > 0).map(([table, count]) => worded(table, count))
    yield* Console.log(`Removed customer ${customerID} "${name}".\n${removed.join(", ")}`)
    if (subscriptions.ended > 0)
      yield* Console.log(`The mail provider ended ${counted(subscriptions.ended, "subscription")}.`)
    if (subscriptions.left > 0) {
      yield* Console.error(
        `${counted(subscriptions.left, "subscription")} could not be ended at the mail provider and will expire within 6 days.`
      )
    }
  })
).pipe(
  Command.withDescription(
    "Remove a customer with all its data: tickets, files, representatives. This cannot be undone"
  ),
  Command.provide(Tools)
)
