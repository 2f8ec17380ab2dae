import { Schema } from "effect"

/** The provider omits properties or sends null: both become null. Unknown properties are ignored. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })

const listOf = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.Array(schema), { default: () => [], nullable: true })

const Recipient = Schema.Struct({
  emailAddress: Schema.optionalWith(
    Schema.NullOr(Schema.Struct({ name: maybe(Schema.String), address: maybe(Schema.String) })),
    { default: () => null }
  )
})
export type GraphRecipient = typeof Recipient.Type

export const GraphMessage = Schema.Struct({
  id: Schema.String,
  internetMessageId: maybe(Schema.String),
  conversationId: maybe(Schema.String),
  subject: maybe(Schema.String),
  from: maybe(Recipient),
  sender: maybe(Recipient),
  toRecipients: listOf(Recipient),
  ccRecipients: listOf(Recipient),
  replyTo: listOf(Recipient),
  receivedDateTime: maybe(Schema.DateTimeUtc),
  sentDateTime: maybe(Schema.DateTimeUtc),
  body: maybe(Schema.Struct({ contentType: maybe(Schema.String), content: maybe(Schema.String) })),
  hasAttachments: maybe(Schema.Boolean),
  isDraft: maybe(Schema.Boolean),
  internetMessageHeaders: listOf(Schema.Struct({ name: maybe(Schema.String), value: maybe(Schema.String) }))
})
export type GraphMessage = typeof GraphMessage.Type

export const messageFields =
  "id,internetMessageId,conversationId,subject,from,sender,toRecipients,ccRecipients,replyTo,receivedDateTime,sentDateTime,body,hasAttachments,isDraft,internetMessageHeaders"

export const GraphAttachment = Schema.Struct({
  "@odata.type": maybe(Schema.String),
  id: Schema.String,
  name: maybe(Schema.String),
  contentType: maybe(Schema.String),
  size: maybe(Schema.Number),
  isInline: maybe(Schema.Boolean),
  contentId: maybe(Schema.String),
  sourceUrl: maybe(Schema.String)
})
export type GraphAttachment = typeof GraphAttachment.Type

export const GraphFolder = Schema.Struct({ id: Schema.String, displayName: maybe(Schema.String) })
export type GraphFolder = typeof GraphFolder.Type

export const GraphSubscription = Schema.Struct({
  id: Schema.String,
  resource: maybe(Schema.String),
  changeType: maybe(Schema.String),
  notificationUrl: maybe(Schema.String),
  clientState: maybe(Schema.String),
  expirationDateTime: Schema.DateTimeUtc
})
export type GraphSubscription = typeof GraphSubscription.Type

export const DeltaAnswer = Schema.Struct({
  value: Schema.Array(Schema.Struct({ id: Schema.String, "@removed": Schema.optional(Schema.Unknown) })),
  "@odata.nextLink": maybe(Schema.String),
  "@odata.deltaLink": maybe(Schema.String)
})

/** A page of a list, and where the next one is. */
export const ListAnswer = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.Struct({ value: Schema.Array(item), "@odata.nextLink": maybe(Schema.String) })

export const Reference = Schema.Struct({ id: Schema.String, isDraft: maybe(Schema.Boolean) })

export const ReplyDraft = Schema.Struct({ id: Schema.String, body: GraphMessage.fields.body })

export const UploadSession = Schema.Struct({ uploadUrl: Schema.String })

export const ErrorAnswer = Schema.Struct({
  error: Schema.Struct({ code: maybe(Schema.String), message: maybe(Schema.String) })
})
