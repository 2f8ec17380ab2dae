import { Schema } from "effect"
import { ChannelFolderID, ChannelID, type CustomerID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { ranks } from "../platform/queue/JobRank.ts"

const Folder = Schema.Struct({ folderID: ChannelFolderID })

/** Fetches what is new in a folder since the last time. */
export const importFolder = jobKind({
  kind: "ImportFolder",
  payload: Folder,
  rank: ranks.fresh
})

export const folderKey = (folderID: ChannelFolderID) => `folder ${folderID}`

interface FolderOfCustomer {
  readonly customerID: CustomerID
  readonly folderID: ChannelFolderID
}

/** The job that reads whatever is new in a folder. */
export const readingOf = ({ customerID, folderID }: FolderOfCustomer) => ({
  customerID,
  payload: { folderID },
  key: folderKey(folderID)
})

const Messages = Schema.Struct({ folderID: ChannelFolderID, messageIDs: Schema.Array(Schema.String) })

/** Fetches mails that the provider sent notifications about. */
export const importMessages = jobKind({
  kind: "ImportMessages",
  payload: Messages,
  rank: ranks.fresh
})

const Message = Schema.Struct({ folderID: ChannelFolderID, messageID: Schema.String })

/** Fetches one mail that could not be imported before. */
export const importMessage = jobKind({
  kind: "ImportMessage",
  payload: Message,
  rank: ranks.fresh
})

export const messageKey = (folderID: ChannelFolderID, messageID: string) => `${folderID} ${messageID}`

const Renewal = Schema.Struct({
  folderID: ChannelFolderID,
  reason: Schema.Literal("Expiring", "Reauthorize", "Removed")
})

/** Keeps the provider sending notifications about a folder. */
export const renewSubscription = jobKind({
  kind: "RenewSubscription",
  payload: Renewal
})

const Removal = Schema.Struct({ channelID: ChannelID, subscriptionID: Schema.String })

/** Makes the provider stop sending notifications. The payload has all it needs: the folder may be gone. */
export const removeSubscription = jobKind({
  kind: "RemoveSubscription",
  payload: Removal
})

const Draft = Schema.Struct({ channelID: ChannelID, draftID: Schema.String })

/** Removes the draft of an answer that will not be sent from the mailbox. The answer may be gone. */
export const removeDraft = jobKind({
  kind: "RemoveDraft",
  payload: Draft,
  rank: ranks.fresh
})

export const draftKey = ({ channelID, draftID }: typeof Draft.Type) => `${channelID} ${draftID}`
