import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { Channel, type ChannelCreate, type ChannelUpdate } from "../../schema/Channels.ts"
import { BadRequest, Conflict, type NotFound } from "../../schema/Errors.ts"
import type { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { CustomerProfileRepo } from "../customers/CustomerProfileRepo.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { masked, writtenSecret } from "../platform/secrets/Masking.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { clientSecretPlace } from "./ChannelColumns.ts"
import { ChannelFoldersRepo } from "./ChannelFoldersRepo.ts"
import { channelProblems, mergeChannel, secretProblems } from "./ChannelRules.ts"
import { type ChannelFields, ChannelsRepo, type StoredChannel } from "./ChannelsRepo.ts"
import { FolderSubscriptions } from "./FolderSubscriptions.ts"

export class Channels extends Context.Tag("casework/Channels")<
  Channels,
  {
    readonly list: () => Effect.Effect<ReadonlyArray<Channel>, never, CurrentRep>
    readonly get: (channelID: ChannelID) => Effect.Effect<Channel, NotFound, CurrentRep>
    readonly create: (channel: ChannelCreate) => Effect.Effect<Channel, BadRequest, CurrentRep>
    readonly update: (
      channelID: ChannelID,
      change: ChannelUpdate
    ) => Effect.Effect<void, BadRequest | NotFound | Conflict, CurrentRep>
    readonly delete: (channelID: ChannelID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Channels,
    Effect.suspend(() => make)
  )
}

export const missingChannel = (channelID: ChannelID) => `There is no channel ${channelID}.`

/** A stored channel as the API shows it. */
const shown = (stored: StoredChannel) =>
  new Channel({
    ...stored,
    overrideMailProviderClientSecret: masked(stored.overrideMailProviderClientSecret)
  })

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* ChannelsRepo
  const secrets = yield* Secrets
  const customers = yield* CustomerProfileRepo
  const folders = yield* ChannelFoldersRepo
  const subscriptions = yield* FolderSubscriptions

  /** The fields to store after a write, if they are consistent. */
  const written = fn("Channels.written")(function* (
    customerID: CustomerID,
    change: ChannelCreate | ChannelUpdate,
    merged: ChannelFields,
    stored?: ChannelFields
  ) {
    const problems = channelProblems(change, merged)
    if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
    if (merged.channelType !== "Email") return merged
    const { mailProviderAuthorityURL } = yield* customers.get(customerID)
    const leaks = secretProblems(change, stored, mailProviderAuthorityURL)
    if (leaks.length > 0) return yield* Effect.fail(BadRequest.listing(leaks))
    const overrideMailProviderClientSecret = writtenSecret(
      secrets,
      clientSecretPlace(customerID),
      change.overrideMailProviderClientSecret,
      stored?.overrideMailProviderClientSecret
    )
    return { ...merged, overrideMailProviderClientSecret }
  })

  /** Serializes writes that make a channel the default. */
  const takeTurn = (customerID: CustomerID, { isDefaultTranslationChannel }: ChannelCreate | ChannelUpdate) =>
    Effect.when(repo.lockDefaultTranslationChannel(customerID), () => isDefaultTranslationChannel === true)

  const makeRoom = (customerID: CustomerID, { isDefaultTranslationChannel }: ChannelFields) =>
    Effect.when(repo.clearDefaultTranslationChannel(customerID), () => isDefaultTranslationChannel)

  return Channels.of({
    list: fn("Channels.list")(function* () {
      const { customerID } = yield* CurrentRep
      return (yield* repo.list(customerID)).map(shown)
    }),

    get: fn("Channels.get")(function* (channelID) {
      const { customerID } = yield* CurrentRep
      return shown(yield* repo.find(customerID, channelID).pipe(orNotFound(missingChannel(channelID))))
    }),

    create: fn("Channels.create")(function* (channel) {
      const { customerID } = yield* CurrentRep
      const fields = yield* written(customerID, channel, mergeChannel(channel))
      yield* takeTurn(customerID, channel)
      yield* makeRoom(customerID, fields)
      return shown(yield* repo.insert(customerID, fields))
    }, inTransaction),

    update: fn("Channels.update")(function* (channelID, change) {
      const { customerID } = yield* CurrentRep
      yield* takeTurn(customerID, change)
      const stored = yield* repo.findForUpdate(customerID, channelID).pipe(orNotFound(missingChannel(channelID)))
      const fields = yield* written(customerID, change, mergeChannel({ ...stored, ...change }, stored), stored)
      // The channel is locked, so that no ticket is added in between.
      if (fields.channelType !== stored.channelType && (yield* repo.hasTickets(customerID, channelID))) {
        return yield* Conflict.of(
          "The type of a channel that has tickets cannot be changed, because their answers are sent through it. Create another channel."
        )
      }
      if (!stored.isDefaultTranslationChannel) yield* makeRoom(customerID, fields)
      // Another mailbox, or none: the provider's notifications about the old one are of no use any more.
      if (fields.emailAddress?.toLowerCase() !== stored.emailAddress?.toLowerCase()) {
        yield* subscriptions.endAllOf(customerID, channelID)
        yield* folders.moveToMailbox(customerID, channelID)
      }
      yield* repo.update(customerID, channelID, fields)
    }, inTransaction),

    delete: fn("Channels.delete")(function* (channelID) {
      const { customerID } = yield* CurrentRep
      // A concurrent subscribe has either finished by now, or will see that the channel is gone.
      yield* repo.findForUpdate(customerID, channelID)
      yield* subscriptions.endAllOf(customerID, channelID)
      yield* repo.delete(customerID, channelID).pipe(changedOrNotFound(missingChannel(channelID)))
    }, inTransaction)
  })
})
