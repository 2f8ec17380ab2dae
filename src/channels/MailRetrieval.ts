import { Context, type Effect } from "effect"
import type { CurrentRep } from "../../schema/Authentication.ts"
import type { BadGateway, BadRequest, NotFound } from "../../schema/Errors.ts"
import type { ChannelID } from "../../schema/Ids.ts"
import type { ImportJobs, MailSubscription } from "../../schema/MailWebhook.ts"

/** Starts and stops subscriptions to the mail of channels, and starts imports. */
export class MailRetrieval extends Context.Tag("casework/MailRetrieval")<
  MailRetrieval,
  {
    readonly subscribe: (
      channelID: ChannelID
    ) => Effect.Effect<MailSubscription, NotFound | BadRequest | BadGateway, CurrentRep>
    readonly unsubscribe: (channelID: ChannelID) => Effect.Effect<MailSubscription, NotFound, CurrentRep>
    readonly importChannel: (channelID: ChannelID) => Effect.Effect<ImportJobs, NotFound | BadRequest, CurrentRep>
    readonly importAll: () => Effect.Effect<ImportJobs, never, CurrentRep>
  }
>() {}
