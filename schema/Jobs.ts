import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { NotFound } from "./Errors.ts"

export const JobID = Schema.UUID.pipe(Schema.brand("JobID")).annotations({
  message: () => "must be a GUID",
  jsonSchema: { format: "uuid" }
})
export type JobID = typeof JobID.Type

export const JobStatus = Schema.Literal("Queued", "Running", "Succeeded", "Failed").annotations({
  identifier: "JobStatus"
})
export type JobStatus = typeof JobStatus.Type

export class Job extends Schema.Class<Job>("Job")({
  jobID: JobID,
  kind: Schema.String.annotations({ description: "What it does, such as ImportFolder" }),
  status: JobStatus,
  total: Schema.Int.annotations({ description: "How many pieces there are, as far as is known" }),
  done: Schema.Int,
  imported: Schema.Int,
  skipped: Schema.Int.annotations({ description: "Were there already" }),
  failed: Schema.Int.annotations({ description: "Kept aside, to be tried again" }),
  error: Schema.NullOr(Schema.String).annotations({ description: "Why it failed, or why it will be tried again" }),
  dateCreated: Schema.DateTimeUtc,
  dateUpdated: Schema.DateTimeUtc
}) {}

export class JobsApi extends HttpApiGroup.make("jobs")
  .add(
    HttpApiEndpoint.get("getJob")`/api/Jobs/${HttpApiSchema.param("id", JobID)}`
      .addSuccess(Job)
      .addError(NotFound)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read how far a job is",
          description: "Also while it runs. Jobs that ended are kept 30 days."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Jobs", description: "Work that goes on after the request that started it." })
  ) {}
