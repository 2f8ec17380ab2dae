import type { Channel } from "../../schema/Channels.ts"

type ReadOnly = "channelID" | "customerID" | "token"

/** The column of each field that a caller can write. */
export const channelColumns = {
  channelType: "channel_type",
  name: "name",
  connectionDetails: "connection_details",
  isActive: "is_active",
  emailAddress: "email_address",
  hostnames: "hostnames",
  phoneNumber: "phone_number",
  isDefaultTranslationChannel: "is_default_translation_channel",
  autoRetrieveEmails: "auto_retrieve_emails",
  overrideMailProviderTenantID: "override_mail_provider_tenant_id",
  overrideMailProviderClientID: "override_mail_provider_client_id",
  overrideMailProviderClientSecret: "override_mail_provider_client_secret",
  overrideMailProviderAuthorityURL: "override_mail_provider_authority_url",
  overrideMailProviderScope: "override_mail_provider_scope"
} as const satisfies Readonly<Record<Exclude<keyof typeof Channel.fields, ReadOnly>, string>>

export const clientSecretPlace = (customerID: number) => ({
  table: "channel",
  column: channelColumns.overrideMailProviderClientSecret,
  customerID
})
