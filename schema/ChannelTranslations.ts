import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { openToEveryOrigin } from "./Conventions.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { Body, changeable, clearable, optional, Query, TextUpTo } from "./Fields.ts"
import { ChannelID, ChannelTranslationID, pathId } from "./Ids.ts"
import { LanguageTag } from "./LanguageTag.ts"

/** Builds a record with one entry per text of a chat window. */
export const forEachChatText = <A>(make: () => A) => ({
  chatTitle: make(),
  defaultGreeting: make(),
  sendButtonText: make(),
  escalatePrompt: make(),
  yesText: make(),
  noText: make(),
  availabilityCheck: make(),
  validEmail: make(),
  youText: make(),
  submitButtonText: make(),
  succesfulSubmission: make(),
  agentJoin: make()
})

export class ChannelTranslation extends Schema.Class<ChannelTranslation>("ChannelTranslation")({
  channelTranslationID: ChannelTranslationID,
  channelID: ChannelID,
  lang: Schema.String,
  ...forEachChatText(() => Schema.NullOr(Schema.String))
}) {}

/** The texts of a chat window, in one language as far as they are translated. */
export class ChatTexts extends Schema.Class<ChatTexts>("ChatTexts")({ ...forEachChatText(() => Schema.String) }) {}

const ChatText = emptyAsNull(TextUpTo(4096))

export const ChannelTranslationCreate = Body("ChannelTranslationCreate", {
  channelID: ChannelID,
  lang: LanguageTag,
  ...forEachChatText(() => optional(ChatText))
})
export type ChannelTranslationCreate = typeof ChannelTranslationCreate.Type

export const ChannelTranslationUpdate = Body("ChannelTranslationUpdate", {
  lang: changeable(LanguageTag),
  ...forEachChatText(() => clearable(ChatText))
})
export type ChannelTranslationUpdate = typeof ChannelTranslationUpdate.Type

export const ResolveQuery = Query({
  token: TextUpTo(100).annotations({ description: "The token of a Chat channel" }),
  lang: changeable(emptyAsNull(LanguageTag)).annotations({ description: "en by default" })
})
export type ResolveQuery = typeof ResolveQuery.Type

export class ChannelTranslationsApi extends HttpApiGroup.make("channelTranslations")
  .add(
    HttpApiEndpoint.get("resolveChannelTranslation", "/api/ChannelTranslations/resolve")
      .setUrlParams(ResolveQuery)
      .addSuccess(ChatTexts)
      .addError(NotFound)
      .annotateContext(openToEveryOrigin)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read the texts of a chat window",
          description:
            "Public: the token of a Chat channel is the credential. A text that is missing in the language is taken from its base language, then in the same way from the default translation channel, then from built-in English. Anything but the token of a Chat channel returns 404."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("listChannelTranslations")`/api/ChannelTranslations/byChannel/${pathId(ChannelID)}`
      .addSuccess(Schema.Array(ChannelTranslation))
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({ summary: "List the translations of a channel", description: "Sorted by language." })
      )
  )
  .add(
    HttpApiEndpoint.get("getChannelTranslation")`/api/ChannelTranslations/${pathId(ChannelTranslationID)}`
      .addSuccess(ChannelTranslation)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({ summary: "Read a translation", description: "As stored, without fallbacks." })
      )
  )
  .add(
    HttpApiEndpoint.post("createChannelTranslation", "/api/ChannelTranslations")
      .setPayload(ChannelTranslationCreate)
      .addSuccess(ChannelTranslation)
      .addError(Conflict)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a translation",
          description:
            "channelID and lang are required. A second translation for the same channel and language returns 409."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateChannelTranslation")`/api/ChannelTranslations/${pathId(ChannelTranslationID)}`
      .setPayload(ChannelTranslationUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a translation",
          description:
            "Missing properties stay unchanged; null makes the text fall back. A translation cannot move to another channel."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteChannelTranslation")`/api/ChannelTranslations/${pathId(ChannelTranslationID)}`
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete a translation",
          description: "Its texts fall back to other translations."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({ title: "Channel translations", description: "The texts of chat windows, by language." })
  ) {}
