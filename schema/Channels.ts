import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { ChannelType, channelTypes } from "./ChannelTypes.ts"
import { EmailAddress } from "./EmailAddress.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { Conflict, NotFound } from "./Errors.ts"
import { anyCase, Body, changeable, clearable, Name, optional, TextUpTo } from "./Fields.ts"
import { Hostnames } from "./Hostnames.ts"
import { HttpUrl } from "./HttpUrl.ts"
import { ChannelID, CustomerID, pathId } from "./Ids.ts"
import { ImportJobs } from "./MailWebhook.ts"
import { PhoneNumber } from "./PhoneNumber.ts"

const text = Schema.NullOr(Schema.String)

export class Channel extends Schema.Class<Channel>("Channel")({
  channelID: ChannelID,
  customerID: CustomerID,
  channelType: ChannelType,
  name: Schema.String,
  connectionDetails: text.annotations({ description: "WhatsApp: the channel's own number" }),
  isActive: Schema.Boolean,
  emailAddress: text.annotations({ description: "Email only: the mailbox" }),
  hostnames: text.annotations({ description: "Chat only: where the chat may run, comma-separated; empty is anywhere" }),
  phoneNumber: text.annotations({ description: "Phone only" }),
  token: Schema.String.annotations({ description: "A GUID made by the service; it cannot be changed" }),
  isDefaultTranslationChannel: Schema.Boolean.annotations({
    description: "Chat only: its translations fill the gaps of the others"
  }),
  autoRetrieveEmails: Schema.Boolean.annotations({ description: "Email only: new mail is imported by itself" }),
  overrideMailProviderTenantID: text,
  overrideMailProviderClientID: text,
  overrideMailProviderClientSecret: text.annotations({ description: "******** when set, null when not" }),
  overrideMailProviderAuthorityURL: text,
  overrideMailProviderScope: text
}) {}

const written = {
  connectionDetails: emptyAsNull(TextUpTo(4096)),
  emailAddress: emptyAsNull(EmailAddress).annotations({ examples: ["support@acme.example"] }),
  hostnames: emptyAsNull(Hostnames).annotations({ examples: ["acme.example,www.acme.example"] }),
  phoneNumber: emptyAsNull(PhoneNumber).annotations({ examples: ["+15550100"] }),
  isDefaultTranslationChannel: Schema.Boolean,
  autoRetrieveEmails: Schema.Boolean,
  overrideMailProviderTenantID: emptyAsNull(TextUpTo(1024)),
  overrideMailProviderClientID: emptyAsNull(TextUpTo(1024)),
  overrideMailProviderClientSecret: emptyAsNull(TextUpTo(4096)),
  overrideMailProviderAuthorityURL: emptyAsNull(HttpUrl),
  overrideMailProviderScope: emptyAsNull(TextUpTo(1024))
}

const required = {
  channelType: anyCase(channelTypes).annotations({ examples: ["Chat"] }),
  name: Name.annotations({ examples: ["Website chat"] }),
  isActive: Schema.Boolean.annotations({ examples: [true] })
}

export const ChannelCreate = Body("ChannelCreate", {
  ...required,
  connectionDetails: optional(written.connectionDetails),
  emailAddress: optional(written.emailAddress),
  hostnames: optional(written.hostnames),
  phoneNumber: optional(written.phoneNumber),
  isDefaultTranslationChannel: optional(written.isDefaultTranslationChannel),
  autoRetrieveEmails: optional(written.autoRetrieveEmails),
  overrideMailProviderTenantID: optional(written.overrideMailProviderTenantID),
  overrideMailProviderClientID: optional(written.overrideMailProviderClientID),
  overrideMailProviderClientSecret: optional(written.overrideMailProviderClientSecret),
  overrideMailProviderAuthorityURL: optional(written.overrideMailProviderAuthorityURL),
  overrideMailProviderScope: optional(written.overrideMailProviderScope)
})
export type ChannelCreate = typeof ChannelCreate.Type

export const ChannelUpdate = Body("ChannelUpdate", {
  channelType: changeable(required.channelType),
  name: changeable(required.name),
  isActive: changeable(required.isActive),
  connectionDetails: clearable(written.connectionDetails),
  emailAddress: clearable(written.emailAddress),
  hostnames: clearable(written.hostnames),
  phoneNumber: clearable(written.phoneNumber),
  isDefaultTranslationChannel: changeable(written.isDefaultTranslationChannel),
  autoRetrieveEmails: changeable(written.autoRetrieveEmails),
  overrideMailProviderTenantID: clearable(written.overrideMailProviderTenantID),
  overrideMailProviderClientID: clearable(written.overrideMailProviderClientID),
  overrideMailProviderClientSecret: clearable(written.overrideMailProviderClientSecret),
  overrideMailProviderAuthorityURL: clearable(written.overrideMailProviderAuthorityURL),
  overrideMailProviderScope: clearable(written.overrideMailProviderScope)
})
export type ChannelUpdate = typeof ChannelUpdate.Type

export class ChannelsApi extends HttpApiGroup.make("channels")
  .add(
    HttpApiEndpoint.get("listChannels", "/api/Channels")
      .addSuccess(Schema.Array(Channel))
      .annotateContext(
        OpenApi.annotations({
          summary: "List channels",
          description: "All channels that are not deleted, oldest first."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getChannel")`/api/Channels/${pathId(ChannelID)}`
      .addSuccess(Channel)
      .addError(NotFound)
      .annotateContext(OpenApi.annotations({ summary: "Read a channel", description: "One channel, with its ETag." }))
  )
  .add(
    HttpApiEndpoint.post("createChannel", "/api/Channels")
      .setPayload(ChannelCreate)
      .addSuccess(Channel)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create a channel",
          description:
            "emailAddress, autoRetrieveEmails and the overrides belong to Email, hostnames and isDefaultTranslationChannel to Chat, phoneNumber to Phone; on another type they must be empty. A WhatsApp channel has its own number in connectionDetails. Setting isDefaultTranslationChannel takes it from the channel that had it. The overrides replace the customer's mail provider settings one by one; an overrideMailProviderAuthorityURL on another host than the customer's needs its own overrideMailProviderClientSecret."
        })
      )
  )
  .add(
    HttpApiEndpoint.put("updateChannel")`/api/Channels/${pathId(ChannelID)}`
      .setPayload(ChannelUpdate)
      .addError(NotFound)
      .addError(Conflict)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a channel",
          description:
            "Missing properties stay; ******** leaves the secret as it is. An overrideMailProviderAuthorityURL on another host needs the overrideMailProviderClientSecret with it: no stored secret is sent there. A channel that gets another type loses the fields of its former type, and with them its mail subscriptions; one that has tickets keeps its type: 409. The token stays the same for ever."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteChannel")`/api/Channels/${pathId(ChannelID)}`.addError(NotFound).annotateContext(
      OpenApi.annotations({
        summary: "Delete a channel",
        description:
          "It is gone from every list, its token stops working and its mail subscriptions are removed. Tickets that came through it stay as they are."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("importAllEmails", "/api/Channels/import-emails")
      .addSuccess(ImportJobs)
      .annotateContext(
        OpenApi.annotations({
          summary: "Import the mail of all channels",
          description:
            "Starts a job for each folder of every Email channel whose mail provider is configured, also for mail that was there before. Mail that is known already is skipped. An Email channel without folders first gets its Inbox."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("importEmails")`/api/Channels/${pathId(ChannelID)}/import-emails`
      .addSuccess(ImportJobs)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Import the mail of a channel",
          description:
            "Starts a job for each folder and answers at once. 400 when the channel has no e-mail address or the mail provider is not configured."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Channels", description: "The ways in which end users reach the customer." })
  ) {}
