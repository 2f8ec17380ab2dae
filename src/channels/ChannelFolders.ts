import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { ChannelFolder, type ChannelFolderCreate, type ChannelFolderUpdate } from "../../schema/ChannelFolders.ts"
import { BadRequest, Conflict, type NotFound } from "../../schema/Errors.ts"
import type { ChannelFolderID, ChannelID, CustomerID } from "../../schema/Ids.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences } from "../platform/database/OwnReferences.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ChannelFoldersRepo } from "./ChannelFoldersRepo.ts"
import { missingChannel } from "./Channels.ts"
import { ChannelsRepo } from "./ChannelsRepo.ts"
import { FolderSubscriptions } from "./FolderSubscriptions.ts"
import { makesCircle } from "./FolderTree.ts"

export class ChannelFolders extends Context.Tag("casework/ChannelFolders")<
  ChannelFolders,
  {
    readonly list: (channelID: ChannelID) => Effect.Effect<ReadonlyArray<ChannelFolder>, NotFound, CurrentRep>
    readonly get: (folderID: ChannelFolderID) => Effect.Effect<ChannelFolder, NotFound, CurrentRep>
    readonly create: (folder: ChannelFolderCreate) => Effect.Effect<ChannelFolder, BadRequest | Conflict, CurrentRep>
    readonly update: (
      folderID: ChannelFolderID,
      change: ChannelFolderUpdate
    ) => Effect.Effect<void, BadRequest | NotFound | Conflict, CurrentRep>
    readonly delete: (folderID: ChannelFolderID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    ChannelFolders,
    Effect.suspend(() => make)
  )
}

const missing = (folderID: ChannelFolderID) => `There is no channel folder ${folderID}.`

const takenTwice = () => Conflict.of("Another folder of this channel already has this externalFolderID.")

const customType = "Custom"

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* ChannelFoldersRepo
  const channels = yield* ChannelsRepo
  const subscriptions = yield* FolderSubscriptions
  const checkOwnReferences = yield* makeCheckOwnReferences

  const checkParent = fn("ChannelFolders.checkParent")(function* (
    customerID: CustomerID,
    channelID: ChannelID,
    parentFolderID: ChannelFolderID,
    folderID?: ChannelFolderID
  ) {
    const folders = yield* repo.list(customerID, channelID)
    if (!folders.some((folder) => folder.folderID === parentFolderID)) {
      return yield* BadRequest.at("parentFolderID", "is not a folder of this channel")
    }
    if (folderID !== undefined && makesCircle(folders, folderID, parentFolderID)) {
      return yield* BadRequest.at("parentFolderID", "must not be the folder itself or one of its subfolders")
    }
  })

  return ChannelFolders.of({
    list: fn("ChannelFolders.list")(function* (channelID) {
      const { customerID } = yield* CurrentRep
      yield* channels.findType(customerID, channelID).pipe(orNotFound(missingChannel(channelID)))
      return (yield* repo.list(customerID, channelID)).map((folder) => new ChannelFolder(folder))
    }),

    get: fn("ChannelFolders.get")(function* (folderID) {
      const { customerID } = yield* CurrentRep
      return new ChannelFolder(yield* repo.find(customerID, folderID).pipe(orNotFound(missing(folderID))))
    }),

    create: fn("ChannelFolders.create")(function* (folder) {
      const { customerID } = yield* CurrentRep
      const { channelID, parentFolderID = null } = folder
      yield* checkOwnReferences(customerID, [{ kind: "channel", path: "channelID", id: channelID }])
      if (parentFolderID !== null) yield* checkParent(customerID, channelID, parentFolderID)
      const fields = {
        name: folder.name,
        parentFolderID,
        type: folder.type ?? customType,
        externalFolderID: folder.externalFolderID ?? null,
        autoRetrieveEmails: folder.autoRetrieveEmails ?? false
      }
      const stored = yield* repo.insert(customerID, channelID, fields).pipe(Effect.catchTag("Duplicate", takenTwice))
      return new ChannelFolder(stored)
    }, inTransaction),

    update: fn("ChannelFolders.update")(function* (folderID, change) {
      const { customerID } = yield* CurrentRep
      const { channelID } = yield* repo.find(customerID, folderID).pipe(orNotFound(missing(folderID)))
      // Locks all folders: two moves at the same time could create a cycle together.
      if (change.parentFolderID !== undefined) yield* repo.lock(customerID, channelID)
      const stored = yield* repo.findForUpdate(customerID, folderID).pipe(orNotFound(missing(folderID)))
      const merged = {
        ...stored,
        ...change,
        type: (change.type === undefined ? stored.type : change.type) ?? customType
      }
      if (change.parentFolderID !== undefined && change.parentFolderID !== null) {
        yield* checkParent(customerID, stored.channelID, change.parentFolderID, folderID)
      }
      yield* repo.update(customerID, folderID, merged).pipe(Effect.catchTag("Duplicate", takenTwice))
      if (merged.externalFolderID !== stored.externalFolderID) {
        yield* subscriptions.endOf(stored)
        yield* repo.forgetProvider(customerID, folderID)
      }
    }, inTransaction),

    delete: fn("ChannelFolders.delete")(function* (folderID) {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo.findForUpdate(customerID, folderID).pipe(orNotFound(missing(folderID)))
      yield* subscriptions.endOf(stored)
      yield* repo.delete(customerID, folderID)
    }, inTransaction)
  })
})
