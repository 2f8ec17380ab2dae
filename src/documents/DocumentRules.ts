import { Struct } from "effect"
import type { DocumentCreate, DocumentUpdate } from "../../schema/Documents.ts"
import { mask } from "../platform/secrets/Masking.ts"
import { apiColumns } from "./DocumentColumns.ts"
import type { DocumentFields } from "./DocumentsRepo.ts"

const apiFields = Struct.keys(apiColumns)

const noApi = {
  overrideApiBaseUrl: null,
  overrideApiUsername: null,
  overrideApiPassword: null,
  overrideApiToken: null,
  overrideApiAuthenticationType: null,
  apiEndpoint: null,
  apiMethod: null,
  apiHeaders: null,
  apiBodyTemplate: null
} satisfies Readonly<Record<keyof typeof apiColumns, null>>

const nothing = { description: null, content: null, ...noApi }

/** A document after a write: omitted fields stay, and a static document has no API. Secrets are not handled here. */
export const mergeDocument = (
  written: DocumentCreate | DocumentUpdate,
  stored: Partial<DocumentFields> = {}
): DocumentFields => ({
  ...nothing,
  ...stored,
  ...written,
  ...(!written.isDataRetrievalProcess && noApi)
})

/** Everything that is wrong with a write, given the document that would result. */
export const documentProblems = (
  written: DocumentCreate | DocumentUpdate,
  merged: DocumentFields
): ReadonlyArray<{ readonly path: string; readonly message: string }> => {
  if (written.isDataRetrievalProcess) {
    return merged.apiEndpoint === null
      ? [{ path: "apiEndpoint", message: "is required for a data retrieval document" }]
      : []
  }
  return apiFields
    .filter((field) => (written[field] ?? mask) !== mask)
    .map((path) => ({ path, message: "must be empty for a static document" }))
}
