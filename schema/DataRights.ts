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
  JobID: JobID.annotations({ description: "GET /api/Jobs/{JobID} shows how far it is" }),
  Status: JobStatus,
  Counts: Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({
    description: "How many of each kind there were",
    jsonSchema: { type: "object", additionalProperties: { type: "integer" } }
  }),
  DateRequested: Schema.DateTimeUtc,
  DateFinished: Schema.NullOr(Schema.DateTimeUtc)
}

export class EndUserExport extends Schema.Class<EndUserExport>("EndUserExport")({
  ...Receipt,
  AccessToken: Schema.NullOr(Schema.UUID).annotations({
    description: "GET /api/File/{AccessToken} is the file, a zip, until DateExpires"
  }),
  DateExpires: Schema.NullOr(Schema.DateTimeUtc),
  Size: Schema.NullOr(Schema.Int).annotations({ description: "In bytes" }),
  Hash: Schema.NullOr(Schema.String).annotations({ description: "SHA-256 of the file" })
}) {}

export class EndUserErasure extends Schema.Class<EndUserErasure>("EndUserErasure")({
  ...Receipt,
  Hash: Schema.NullOr(Schema.String).annotations({
    description: "SHA-256 of this receipt without the hash itself, as it is written here once it is Succeeded"
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
          summary: "Get everything that is kept about an end user",
          description:
            "Starts a job that gathers it, unless one is under way or its file is still there, and answers how far that is; ask again until it is Succeeded. The file is a zip with a JSON file for each kind of data, the attachments and the sources of mails. It is there for 24 hours. Admin only, audited."
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
            "Starts a job that removes the person and everything it and others wrote in its tickets: texts, attachments, AI calls, jobs, mails. The tickets stay, empty. It cannot be undone. Six minutes later a second look removes what was still being written. However often it is called, it happens once, and the receipt is answered also when the end user is gone. Admin only, audited."
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
          description: "It is kept, with numbers and times and nothing of the person. Admin only."
        })
      )
  )
  .middleware(AdminAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Data rights", description: "What people may ask about the data kept of them." })
  ) {}
