import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { ChannelFolder } from "./ChannelFolders.ts"
import { ignoresIdempotencyKey } from "./Conventions.ts"
import { BadGateway, BadRequest, NotFound } from "./Errors.ts"
import { Body, changeable, Query, TextUpTo } from "./Fields.ts"
import { ChannelFolderID, ChannelID, pathId } from "./Ids.ts"
import { JobID } from "./Jobs.ts"

const ImportJob = Schema.Struct({ jobID: JobID, channelID: ChannelID, folderID: ChannelFolderID })
export type ImportJob = typeof ImportJob.Type

export class ImportJobs extends Schema.Class<ImportJobs>("ImportJobs")({
  jobs: Schema.Array(ImportJob).annotations({
    description: "One for each folder; GET /api/Jobs/{jobID} shows the progress"
  })
}) {}

export class MailSubscription extends Schema.Class<MailSubscription>("MailSubscription")({
  channelID: ChannelID,
  autoRetrieveEmails: Schema.Boolean,
  folders: Schema.Array(ChannelFolder)
}) {}

const sentBack = { description: "Returned unchanged except that < and > are escaped" }

const ValidationToken = TextUpTo(2048)
  .pipe(Schema.filter((token) => token !== "", { message: () => "is required", jsonSchema: { minLength: 1 } }))
  .annotations(sentBack)

const Echo = Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/plain" })).annotations({
  description: "The validation token"
})

const Notification = Schema.Struct({
  subscriptionId: Schema.optional(Schema.String),
  resource: Schema.optional(Schema.String).annotations({
    description: "/users/{mailbox}/mailFolders('{folderId}')/messages or Users/{id}/Messages/{id}"
  }),
  changeType: Schema.optional(Schema.String).annotations({
    description: "created; other types are ignored",
    examples: ["created"]
  }),
  clientState: Schema.optional(Schema.String),
  lifecycleEvent: Schema.optional(Schema.String).annotations({
    description: "reauthorizationRequired, subscriptionRemoved or missed"
  }),
  resourceData: Schema.optional(Schema.Struct({ id: Schema.optional(Schema.String) }))
})

export const MailNotifications = Body("MailNotifications", { value: Schema.optional(Schema.Array(Notification)) })

export class MailWebhookApi extends HttpApiGroup.make("mailWebhook")
  .add(
    HttpApiEndpoint.get("validateMailWebhook", "/api/MailWebhook")
      .setUrlParams(Query({ validationToken: ValidationToken }))
      .addSuccess(Echo)
      .annotateContext(
        OpenApi.annotations({
          summary: "Validate the webhook address",
          description: "Public. Returns the token as plain text; 400 without one."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("receiveMailNotifications", "/api/MailWebhook")
      .setUrlParams(Query({ validationToken: changeable(TextUpTo(2048).annotations(sentBack)) }))
      .setPayload(MailNotifications)
      .addSuccess(Echo)
      .addError(BadRequest)
      .annotateContext(
        OpenApi.annotations({
          summary: "Receive notifications from the mail provider",
          description:
            "Public. A validationToken is returned as plain text; otherwise the response is empty. Any valid JSON returns 200, but only notifications with the subscription's clientState take effect. They are recorded here and processed by jobs."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("subscribeMail")`/api/MailWebhook/subscribe/${pathId(ChannelID)}`
      .addSuccess(MailSubscription)
      .addError(NotFound)
      .addError(BadRequest)
      .addError(BadGateway)
      .middleware(TicketAccess)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        OpenApi.annotations({
          summary: "Start importing new mail of a channel",
          description:
            "Turns autoRetrieveEmails on for the channel and its folders and subscribes to each folder at the mail provider; if the channel has no folders, the Inbox is added first. Existing mail is not imported: use import-emails for that. Returns 400 without an e-mail address or credentials, and 502 if the provider refuses, in which case nothing stays switched on. Repeating the call is safe."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("unsubscribeMail")`/api/MailWebhook/unsubscribe/${pathId(ChannelID)}`
      .addSuccess(MailSubscription)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Stop importing new mail of a channel",
          description:
            "Turns autoRetrieveEmails off for the channel and its folders. The subscriptions are forgotten at once and removed at the provider shortly after."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({
      title: "Mail notifications",
      description: "Notifications of new mail from the mail provider."
    })
  ) {}
