import { Context, type Effect } from "effect"
import type { ChannelFolderID, ChannelID, CustomerID } from "../../schema/Ids.ts"

export interface WatchedFolder {
  readonly customerID: CustomerID
  readonly channelID: ChannelID
  readonly folderID: ChannelFolderID
}

/**
 * What a mail provider tells about the folders of channels. Ending it forgets it at once; the provider is told by a job.
 * Belongs into the transaction of the cause.
 */
export class FolderSubscriptions extends Context.Tag("casework/FolderSubscriptions")<
  FolderSubscriptions,
  {
    readonly endOf: (folder: WatchedFolder) => Effect.Effect<void>
    readonly endAllOf: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<void>
  }
>() {}
