import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AdminAccess } from "./Authentication.ts"
import { ignoresIdempotencyKey } from "./Conventions.ts"
import { NotFound } from "./Errors.ts"
import { EndUserID, pathId } from "./Ids.ts"
import { JobID, JobStatus } from "./Jobs.ts"

const Receipt = {
  ReceiptID: Schema.UUID,
  EndUserID,
  JobID: JobID.annotations({ description: "GET /api/Jobs/{JobID} shows the progress" }),
  Status: JobStatus,
  Counts: Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({
    description:
      "The number of items of each kind. What the file store has lost counts as MissingFiles in an export, and in an erasure as UnreadableSetAsideMails: set-aside mails, by anybody, that could not be searched for the person",
    jsonSchema: { type: "object", additionalProperties: { type: "integer" } }
  }),
  DateRequested: Schema.DateTimeUtc,
  DateFinished: Schema.NullOr(Schema.DateTimeUtc)
}

export class EndUserExport extends Schema.Class<EndUserExport>("EndUserExport")({
  ...Receipt,
  AccessToken: Schema.NullOr(Schema.UUID).annotations({
    description: "GET /api/File/{AccessToken} returns the file, a zip, until DateExpires"
  }),
  DateExpires: Schema.NullOr(Schema.DateTimeUtc),
  Size: Schema.NullOr(Schema.Int).annotations({ description: "In bytes" }),
  Hash: Schema.NullOr(Schema.String).annotations({ description: "SHA-256 of the file" })
}) {}

export class EndUserErasure extends Schema.Class<EndUserErasure>("EndUserErasure")({
  ...Receipt,
  Hash: Schema.NullOr(Schema.String).annotations({
    description: "SHA-256 of this receipt without the hash itself, exactly as returned once the status is Succeeded"
  })
}) {}

const id = pathId(EndUserID)

export class DataRightsApi extends HttpApiGroup.make("dataRights")
  .add(
    HttpApiEndpoint.get("exportEndUser")`/api/EndUsers/${id}/export`
      .addSuccess(EndUserExport)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Export everything stored about an end user",
          description:
            "Starts a job that collects the data, unless one is running or its file still exists, and returns its progress; repeat the call until it is Succeeded. The file is a zip with a JSON file for each kind of data, the attachments and the sources of mails, and is available for 24 hours. Admin only, audited."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("eraseEndUser")`/api/EndUsers/${id}/erase`
      .addSuccess(EndUserErasure)
      .addError(NotFound)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        OpenApi.annotations({
          summary: "Erase an end user",
          description:
            "Starts a job that removes the person and everything that anybody wrote in their tickets: texts, attachments, AI calls, jobs, mails. The empty tickets remain. This cannot be undone. Six minutes later a second pass removes what was still being written. Repeated calls erase only once, and return the receipt even after the end user is gone. Admin only, audited."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getErasure")`/api/EndUsers/${id}/erase`
      .addSuccess(EndUserErasure)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read the receipt of an erasure",
          description: "The receipt is kept; it contains numbers and times, but no personal data. Admin only."
        })
      )
  )
  .middleware(AdminAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Data rights", description: "Export and erasure of the data stored about a person." })
  ) {}
