import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, changeable, clearable, Name, optional, TextUpTo } from "./Fields.ts"
import { ChannelFolderID, ChannelID, CustomerID, pathId } from "./Ids.ts"

const moment = Schema.NullOr(Schema.DateTimeUtc)

export class ChannelFolder extends Schema.Class<ChannelFolder>("ChannelFolder")({
  folderID: ChannelFolderID,
  channelID: ChannelID,
  customerID: CustomerID,
  name: Schema.String,
  parentFolderID: Schema.NullOr(ChannelFolderID),
  type: Schema.String.annotations({ description: "Such as Inbox, Sent or Custom" }),
  externalFolderID: Schema.NullOr(Schema.String).annotations({
    description: "The folder's id at the mail provider; if empty, it is looked up by type or name at the first import"
  }),
  autoRetrieveEmails: Schema.Boolean,
  subscriptionID: Schema.NullOr(Schema.String),
  subscriptionExpiresUtc: moment,
  lastNotificationUtc: moment,
  lastSyncUtc: moment.annotations({ description: "When the last successful catch-up ended" }),
  lastError: Schema.NullOr(Schema.String),
  failedMessages: Schema.Int.annotations({ description: "Mails that could not be imported so far" })
}) {}

const ExternalFolderID = emptyAsNull(TextUpTo(1024)).annotations({ examples: ["AAMkAGI2ZjVkLWlt"] })

const FolderType = TextUpTo(100).annotations({ examples: ["Inbox"] })

export const ChannelFolderCreate = Body("ChannelFolderCreate", {
  channelID: ChannelID,
  name: Name.annotations({ examples: ["Inbox"] }),
  parentFolderID: optional(ChannelFolderID),
  type: optional(emptyAsNull(FolderType)).annotations({ description: "Custom by default" }),
  externalFolderID: optional(ExternalFolderID),
  autoRetrieveEmails: optional(Schema.Boolean)
})
export type ChannelFolderCreate = typeof ChannelFolderCreate.Type

export const ChannelFolderUpdate = Body("ChannelFolderUpdate", {
  name: changeable(Name),
  parentFolderID: clearable(ChannelFolderID),
  type: clearable(emptyAsNull(FolderType)),
  externalFolderID: clearable(ExternalFolderID),
  autoRetrieveEmails: changeable(Schema.Boolean)
})
export type ChannelFolderUpdate = typeof ChannelFolderUpdate.Type

export class ChannelFoldersApi extends HttpApiGroup.make("channelFolders")
  .add(
    HttpApiEndpoint.get("listChannelFolders")`/api/ChannelFolders/byChannel/${pathId(ChannelID)}`
      .addSuccess(Schema.Array(ChannelFolder))
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "List the folders of a channel",
          description: "Oldest first, with their status."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getChannelFolder")`/api/ChannelFolders/${pathId(ChannelFolderID)}`
      .addSuccess(ChannelFolder)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read a folder",
          description: "One folder and its status: last notification, last catch-up, expiry, last error, failed mails."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("createChannelFolder", "/api/ChannelFolders")
      .setPayload(ChannelFolderCreate)
      .addSuccess(ChannelFolder)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a folder",
          description:
            "channelID and name are required. Two folders of a channel with the same externalFolderID return 409. With autoRetrieveEmails new mail is fetched every 15 minutes; after POST /api/MailWebhook/subscribe the provider announces new mail at once."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateChannelFolder")`/api/ChannelFolders/${pathId(ChannelFolderID)}`
      .setPayload(ChannelFolderUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a folder",
          description:
            "Missing properties stay unchanged; a cleared type becomes Custom. A folder cannot move to another channel. Changing externalFolderID ends the subscription, and the next catch-up starts with mail that arrives from now on."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteChannelFolder")`/api/ChannelFolders/${pathId(ChannelFolderID)}`
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete a folder",
          description: "Its subscription is removed, its subfolders move to the top level, and tickets are kept."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({
      title: "Channel folders",
      description: "The folders of a mailbox from which mail is imported."
    })
  ) {}
