import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import type { NotFound } from "../../schema/Errors.ts"
import { Job, type JobID } from "../../schema/Jobs.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { JobProgressRepo } from "./JobProgressRepo.ts"

export class JobProgress extends Context.Tag("casework/JobProgress")<
  JobProgress,
  { readonly get: (jobID: JobID) => Effect.Effect<Job, NotFound, CurrentRep> }
>() {
  static readonly layer = Layer.effect(
    JobProgress,
    Effect.gen(function* () {
      const repo = yield* JobProgressRepo
      return {
        get: fn("JobProgress.get")(function* (jobID) {
          const { customerID } = yield* CurrentRep
          return new Job(yield* repo.find(customerID, jobID).pipe(orNotFound(`There is no job ${jobID}.`)))
        })
      }
    })
  )
}
