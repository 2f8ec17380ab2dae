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
  kind: Schema.String.annotations({ description: "The type of work, such as ImportFolder" }),
  status: JobStatus,
  total: Schema.Int.annotations({ description: "The number of items, as far as known" }),
  done: Schema.Int,
  imported: Schema.Int,
  skipped: Schema.Int.annotations({ description: "Existed already" }),
  failed: Schema.Int.annotations({ description: "Set aside, to be retried later" }),
  error: Schema.NullOr(Schema.String).annotations({ description: "Why it failed, or why it will be retried" }),
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
          summary: "Read the progress of a job",
          description: "Also while it is running. Finished jobs are kept for 30 days."
        })
      )
  )
  .middleware(TicketAccess)
  .annotateContext(
    OpenApi.annotations({ title: "Jobs", description: "Work that continues after the request that started it." })
  ) {}
