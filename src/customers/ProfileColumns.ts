import type { Customer } from "../../schema/Customers.ts"

/** The column of each field of the customer. */
export const profileColumns = {
  apiBaseUrl: "api_base_url",
  apiUsername: "api_username",
  apiPassword: "api_password",
  apiToken: "api_token",
  apiAuthenticationType: "api_authentication_type",
  emailProviderType: "email_provider_type",
  mailProviderTenantID: "mail_provider_tenant_id",
  mailProviderClientID: "mail_provider_client_id",
  mailProviderClientSecret: "mail_provider_client_secret",
  mailProviderAuthorityURL: "mail_provider_authority_url",
  mailProviderScope: "mail_provider_scope",
  defaultTopicModelId: "default_topic_model_id",
  defaultWebchatModelId: "default_webchat_model_id",
  defaultEmailTextModelId: "default_email_text_model_id",
  defaultEmailVisionModelId: "default_email_vision_model_id",
  defaultCallModelId: "default_call_model_id",
  defaultSpamModelId: "default_spam_model_id",
  defaultCustomerRepID: "default_customer_rep_id",
  telephonyAccountSID: "telephony_account_sid",
  telephonyAuthToken: "telephony_auth_token",
  aiProviderApiKey: "ai_provider_api_key"
} as const satisfies Readonly<
  Record<Exclude<keyof typeof Customer.fields, "customerID" | "name" | "lastModifiedDate">, string>
>

/** Encrypted at rest and masked in responses. */
export type SecretField =
  | "apiPassword"
  | "apiToken"
  | "mailProviderClientSecret"
  | "telephonyAuthToken"
  | "aiProviderApiKey"

export const secretPlace = (customerID: number, field: SecretField) => ({
  table: "customer",
  column: profileColumns[field],
  customerID
})

/** Builds a record with one entry per secret field. */
export const forEachSecret = <A>(make: (field: SecretField) => A): Readonly<Record<SecretField, A>> => ({
  apiPassword: make("apiPassword"),
  apiToken: make("apiToken"),
  mailProviderClientSecret: make("mailProviderClientSecret"),
  telephonyAuthToken: make("telephonyAuthToken"),
  aiProviderApiKey: make("aiProviderApiKey")
})
