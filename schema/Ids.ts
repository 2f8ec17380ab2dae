import { HttpApiSchema } from "@effect/platform"
import { ParseResult, Schema } from "effect"

const highest = 2 ** 31 - 1

const integerId = { type: "integer", minimum: 1, maximum: highest, examples: [1] } as const

const id = <const Brand extends string>(brand: Brand) =>
  Schema.Int.pipe(Schema.between(1, highest), Schema.brand(brand)).annotations({
    jsonSchema: integerId,
    message: () => `must be a whole number from 1 to ${highest}`
  })

export const CustomerID = id("CustomerID")
export type CustomerID = typeof CustomerID.Type

export const CustomerRepID = id("CustomerRepID")
export type CustomerRepID = typeof CustomerRepID.Type

export const ChannelID = id("ChannelID")
export type ChannelID = typeof ChannelID.Type

export const ActionID = id("ActionID")
export type ActionID = typeof ActionID.Type

export const DocumentID = id("DocumentID")
export type DocumentID = typeof DocumentID.Type

export const TopicID = id("TopicID")
export type TopicID = typeof TopicID.Type

export const TopicActionID = id("TopicActionID")
export type TopicActionID = typeof TopicActionID.Type

/** The id of a topic action that belongs to a hook; the number is the same. */
export const HookActionID = id("HookActionID")
export type HookActionID = typeof HookActionID.Type

export const TopicDocumentID = id("TopicDocumentID")
export type TopicDocumentID = typeof TopicDocumentID.Type

export const PageTopicMappingID = id("PageTopicMappingID")
export type PageTopicMappingID = typeof PageTopicMappingID.Type

export const ModelID = id("ModelID")
export type ModelID = typeof ModelID.Type

export const EndUserID = id("EndUserID")
export type EndUserID = typeof EndUserID.Type

export const EndUserUIDID = id("EndUserUIDID")
export type EndUserUIDID = typeof EndUserUIDID.Type

export const TicketID = id("TicketID")
export type TicketID = typeof TicketID.Type

export const TicketMessageID = id("TicketMessageID")
export type TicketMessageID = typeof TicketMessageID.Type

export const TicketMessageTopicID = id("TicketMessageTopicID")
export type TicketMessageTopicID = typeof TicketMessageTopicID.Type

export const TicketMessageAttachmentID = id("TicketMessageAttachmentID")
export type TicketMessageAttachmentID = typeof TicketMessageAttachmentID.Type

export const ChannelFolderID = id("ChannelFolderID")
export type ChannelFolderID = typeof ChannelFolderID.Type

export const ChannelTranslationID = id("ChannelTranslationID")
export type ChannelTranslationID = typeof ChannelTranslationID.Type

export const AiRunID = id("AiRunID")
export type AiRunID = typeof AiRunID.Type

export const PlaceDescriptionReportID = id("PlaceDescriptionReportID")
export type PlaceDescriptionReportID = typeof PlaceDescriptionReportID.Type

export const PlaceDescriptionRoomID = id("PlaceDescriptionRoomID")
export type PlaceDescriptionRoomID = typeof PlaceDescriptionRoomID.Type

export const PlaceDescriptionRoomVersionID = id("PlaceDescriptionRoomVersionID")
export type PlaceDescriptionRoomVersionID = typeof PlaceDescriptionRoomVersionID.Type

export const PlaceDescriptionRoomPhotoID = id("PlaceDescriptionRoomPhotoID")
export type PlaceDescriptionRoomPhotoID = typeof PlaceDescriptionRoomPhotoID.Type

/** Reads an id written in decimal digits, as in a path or a query. */
export const idFromString = <A extends number>(of: Schema.Schema<A, number>): Schema.Schema<A, string> =>
  Schema.transformOrFail(Schema.String, of, {
    strict: true,
    decode: (text, _, ast) =>
      /^[1-9][0-9]{0,9}$/.test(text)
        ? ParseResult.succeed(Number(text))
        : ParseResult.fail(new ParseResult.Type(ast, text, `must be a whole number from 1 to ${highest}`)),
    encode: (number) => ParseResult.succeed(String(number))
  }).annotations({ jsonSchema: integerId })

/** An id in a path under a specific name, for paths with several ids. */
export const namedPathId = <const Name extends string, A extends number>(name: Name, of: Schema.Schema<A, number>) =>
  HttpApiSchema.param(name, idFromString(of))

export const pathId = <A extends number>(of: Schema.Schema<A, number>) => namedPathId("id", of)
