import { Struct } from "effect"
import type { PlaceDescriptionReport, PlaceDescriptionReportUpdate } from "../../schema/PlaceDescriptionReports.ts"
import type { Reference } from "../platform/database/OwnReferences.ts"

/** The column of each field that is stored unchanged. */
const reportColumns = {
  clientNames: "client_names",
  caseNumber: "case_number",
  description: "description",
  landlords: "landlords",
  tenants: "tenants",
  address: "address",
  reportDate: "report_date",
  lexiconDocumentID: "lexicon_document_id",
  instructionsDocumentID: "instructions_document_id",
  transformTopicID: "transform_topic_id"
} as const

export type ReportFields = Pick<PlaceDescriptionReport, keyof typeof reportColumns>

/** The fields that a change writes; absent fields keep their values. */
export type ReportChange = { readonly [Field in keyof ReportFields]?: ReportFields[Field] | undefined }

export const reportValues = (fields: ReportChange) =>
  Object.fromEntries(
    Struct.entries(reportColumns).flatMap(([field, column]) => {
      const value = fields[field]
      return value === undefined ? [] : [[column, value]]
    })
  )

export const emptyReport: ReportFields = {
  clientNames: null,
  caseNumber: null,
  description: null,
  landlords: null,
  tenants: null,
  address: null,
  reportDate: null,
  lexiconDocumentID: null,
  instructionsDocumentID: null,
  transformTopicID: null
}

/** The documents and the topic that a write refers to. */
export const referencesOf = (write: Partial<PlaceDescriptionReportUpdate>): ReadonlyArray<Reference> => {
  const { instructionsDocumentID, lexiconDocumentID, transformTopicID } = write
  const named = [
    { kind: "document", path: "lexiconDocumentID", id: lexiconDocumentID },
    { kind: "document", path: "instructionsDocumentID", id: instructionsDocumentID },
    { kind: "topic", path: "transformTopicID", id: transformTopicID }
  ] as const
  return named.flatMap(({ id, kind, path }) => (id === undefined || id === null ? [] : [{ kind, path, id }]))
}
