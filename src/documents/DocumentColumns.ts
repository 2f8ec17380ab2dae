import type { Document } from "../../schema/Documents.ts"

type ReadOnly = "documentID" | "customerID" | "creationDate" | "lastModifiedDate"

/** The columns of the fields that only a data retrieval document has. */
export const apiColumns = {
  overrideApiBaseUrl: "override_api_base_url",
  overrideApiUsername: "override_api_username",
  overrideApiPassword: "override_api_password",
  overrideApiToken: "override_api_token",
  overrideApiAuthenticationType: "override_api_authentication_type",
  apiEndpoint: "api_endpoint",
  apiMethod: "api_method",
  apiHeaders: "api_headers",
  apiBodyTemplate: "api_body_template"
} as const

/** The column of each field that a caller can write. */
export const documentColumns = {
  name: "name",
  description: "description",
  content: "content",
  isDataRetrievalProcess: "is_data_retrieval_process",
  ...apiColumns
} as const satisfies Readonly<Record<Exclude<keyof typeof Document.fields, ReadOnly>, string>>

export const secretPlace = (customerID: number, field: "overrideApiPassword" | "overrideApiToken") => ({
  table: "document",
  column: apiColumns[field],
  customerID
})
