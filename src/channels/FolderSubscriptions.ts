import { Context, type Effect } from "effect"
import type { ChannelFolderID, ChannelID, CustomerID } from "../../schema/Ids.ts"

export interface WatchedFolder {
  readonly customerID: CustomerID
  readonly channelID: ChannelID
  readonly folderID: ChannelFolderID
}

/**
 * A mail provider's notifications about the folders of channels. Ending one forgets it at once, and a job tells the
 * provider. Must run in the transaction of its cause.
 */
export class FolderSubscriptions extends Context.Tag("casework/FolderSubscriptions")<
  FolderSubscriptions,
  {
    readonly endOf: (folder: WatchedFolder) => Effect.Effect<void>
    readonly endAllOf: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<void>
  }
>() {}
