import { Effect, Layer } from "effect"
import { FolderSubscriptions } from "../channels/FolderSubscriptions.ts"
import { MailFoldersRepo } from "./MailFoldersRepo.ts"
import { Subscriptions } from "./Subscriptions.ts"

export const FolderSubscriptionsLive = Layer.effect(
  FolderSubscriptions,
  Effect.gen(function* () {
    const folders = yield* MailFoldersRepo
    const subscriptions = yield* Subscriptions
    return {
      endOf: (folder) => subscriptions.end([folder]),
      endAllOf: (customerID, channelID) => Effect.flatMap(folders.ofChannel(customerID, channelID), subscriptions.end)
    }
  })
)
