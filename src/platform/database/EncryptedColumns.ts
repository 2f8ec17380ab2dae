/** Every column that Secrets encrypts, each bound to its table, its name and the row's customer_id. */
export const encryptedColumns = [
  { table: "customer", idColumn: "customer_id", column: "api_password" },
  { table: "customer", idColumn: "customer_id", column: "api_token" },
  { table: "customer", idColumn: "customer_id", column: "mail_provider_client_secret" },
  { table: "customer", idColumn: "customer_id", column: "telephony_auth_token" },
  { table: "customer", idColumn: "customer_id", column: "ai_provider_api_key" },
  { table: "channel", idColumn: "channel_id", column: "override_mail_provider_client_secret" },
  { table: "channel_folder", idColumn: "channel_folder_id", column: "client_state" },
  { table: "document", idColumn: "document_id", column: "override_api_password" },
  { table: "document", idColumn: "document_id", column: "override_api_token" },
  { table: "outbox_mail", idColumn: "outbox_mail_id", column: "content" }
] as const

export type EncryptedColumn = (typeof encryptedColumns)[number]
