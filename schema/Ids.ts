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

/** A topic action that belongs to a hook, by the same number. */
export const HookActionID = id("HookActionID")
export type HookActionID = typeof HookActionID.Type

export const TopicDocumentID = id("TopicDocumentID")
export type TopicDocumentID = typeof TopicDocumentID.Type

export const PageTopicMappingID = id("PageTopicMappingID")
export type PageTopicMappingID = typeof PageTopicMappingID.Type

export const ModelID = id("ModelID")
export type ModelID = typeof ModelID.Type

/** Reads an id written in decimal digits, as it stands in a path or a query. */
export const idFromString = <A extends number>(of: Schema.Schema<A, number>): Schema.Schema<A, string> =>
  Schema.transformOrFail(Schema.String, of, {
    strict: true,
    decode: (text, _, ast) =>
      /^[1-9][0-9]{0,9}$/.test(text)
        ? ParseResult.succeed(Number(text))
        : ParseResult.fail(new ParseResult.Type(ast, text, `must be a whole number from 1 to ${highest}`)),
    encode: (number) => ParseResult.succeed(String(number))
  }).annotations({ jsonSchema: integerId })

export const pathId = <A extends number>(of: Schema.Schema<A, number>) => HttpApiSchema.param("id", idFromString(of))
