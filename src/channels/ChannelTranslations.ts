import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import {
  type ChannelTranslation,
  type ChannelTranslationCreate,
  type ChannelTranslationUpdate,
  type ChatTexts,
  forEachChatText,
  type ResolveQuery
} from "../../schema/ChannelTranslations.ts"
import { type BadRequest, Conflict, NotFound } from "../../schema/Errors.ts"
import type { ChannelID, ChannelTranslationID } from "../../schema/Ids.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences } from "../platform/database/OwnReferences.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { missingChannel } from "./Channels.ts"
import { ChannelsRepo } from "./ChannelsRepo.ts"
import { ChannelTranslationsRepo } from "./ChannelTranslationsRepo.ts"
import { resolveChatTexts } from "./TranslationFallback.ts"

export class ChannelTranslations extends Context.Tag("casework/ChannelTranslations")<
  ChannelTranslations,
  {
    readonly resolve: (query: ResolveQuery) => Effect.Effect<ChatTexts, NotFound>
    readonly list: (channelID: ChannelID) => Effect.Effect<ReadonlyArray<ChannelTranslation>, NotFound, CurrentRep>
    readonly get: (
      channelTranslationID: ChannelTranslationID
    ) => Effect.Effect<ChannelTranslation, NotFound, CurrentRep>
    readonly create: (
      translation: ChannelTranslationCreate
    ) => Effect.Effect<ChannelTranslation, BadRequest | Conflict, CurrentRep>
    readonly update: (
      channelTranslationID: ChannelTranslationID,
      change: ChannelTranslationUpdate
    ) => Effect.Effect<void, NotFound | Conflict, CurrentRep>
    readonly delete: (channelTranslationID: ChannelTranslationID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    ChannelTranslations,
    Effect.suspend(() => make)
  )
}

const missing = (channelTranslationID: ChannelTranslationID) =>
  `There is no channel translation ${channelTranslationID}.`

const translatedAlready = () => Conflict.of("This channel already has a translation for this language.")

const noTexts = forEachChatText(() => null)

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* ChannelTranslationsRepo
  const channels = yield* ChannelsRepo
  const checkOwnReferences = yield* makeCheckOwnReferences

  return ChannelTranslations.of({
    resolve: fn("ChannelTranslations.resolve")(function* ({ lang, token }) {
      const channel = yield* channels.findByToken(token)
      if (Option.isNone(channel) || channel.value.channelType !== "Chat") {
        return yield* NotFound.of("There is no chat channel with this token.")
      }
      const { channelID, customerID } = channel.value
      const fallback = yield* channels.findDefaultTranslationChannel(customerID)
      return resolveChatTexts(
        lang ?? "en",
        yield* repo.list(customerID, channelID),
        Option.isNone(fallback) ? [] : yield* repo.list(customerID, fallback.value.channelID)
      )
    }),

    list: fn("ChannelTranslations.list")(function* (channelID) {
      const { customerID } = yield* CurrentRep
      yield* channels.findType(customerID, channelID).pipe(orNotFound(missingChannel(channelID)))
      return yield* repo.list(customerID, channelID)
    }),

    get: fn("ChannelTranslations.get")(function* (channelTranslationID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, channelTranslationID).pipe(orNotFound(missing(channelTranslationID)))
    }),

    create: fn("ChannelTranslations.create")(function* (translation) {
      const { customerID } = yield* CurrentRep
      yield* checkOwnReferences(customerID, [{ kind: "channel", path: "channelID", id: translation.channelID }])
      return yield* repo
        .insert(customerID, { ...noTexts, ...translation })
        .pipe(Effect.catchTag("Duplicate", translatedAlready))
    }, inTransaction),

    update: fn("ChannelTranslations.update")(function* (channelTranslationID, change) {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo
        .findForUpdate(customerID, channelTranslationID)
        .pipe(orNotFound(missing(channelTranslationID)))
      yield* repo
        .update(customerID, channelTranslationID, { ...stored, ...change })
        .pipe(Effect.catchTag("Duplicate", translatedAlready))
    }, inTransaction),

    delete: fn("ChannelTranslations.delete")(function* (channelTranslationID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, channelTranslationID).pipe(changedOrNotFound(missing(channelTranslationID)))
    })
  })
})
