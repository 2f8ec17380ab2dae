import { createHash } from "node:crypto"
import { Effect, Layer, Option, Stream } from "effect"
import { type Counts, type DataRequest, DataRequestsRepo } from "../endUsers/DataRequestsRepo.ts"
import { EndUsersRepo } from "../endUsers/EndUsersRepo.ts"
import { Blobs, type StoredBlob } from "../files/Blobs.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { onOneNode } from "../platform/queue/Periodically.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { exportEndUser } from "./DataRightsJobs.ts"
import { ExportFile } from "./ExportFile.ts"
import { PersonsRepo } from "./PersonsRepo.ts"
import { UnkeyedRows } from "./UnkeyedRows.ts"
import { UnkeyedRunsRepo } from "./UnkeyedRunsRepo.ts"

const hours = 24

const largestFile = 2 * 1024 ** 3

const Gather = Layer.effectDiscard(
  Effect.gen(function* () {
    const inTransaction = yield* InTransaction
    const jobs = yield* Jobs
    const repo = yield* DataRequestsRepo
    const persons = yield* PersonsRepo
    const endUsers = yield* EndUsersRepo
    const unkeyedRows = yield* UnkeyedRows
    const unkeyedRuns = yield* UnkeyedRunsRepo
    const exportFile = yield* ExportFile
    const blobs = yield* Blobs

    /** Only if the end user still exists: no file is left of somebody who was erased meanwhile. */
    const finish = fn("ExportJob.finish")(function* (
      request: DataRequest,
      claim: JobClaim,
      file: StoredBlob & { hash: string; counts: Counts }
    ) {
      yield* claim.advance({ total: 1, done: 1 })
      const isThere = Option.isSome(yield* endUsers.findForUpdate(request.customerID, request.endUserID))
      if (isThere) yield* repo.finishExport(request, { ...file, hours })
      return isThere
    }, inTransaction)

    yield* jobs.handle(
      exportEndUser,
      fn("ExportJob.run")(function* (customerID, { endUserID }, claim) {
        const request = yield* repo.findByJob(customerID, claim.jobID)
        const person = yield* persons.find(customerID, endUserID)
        if (Option.isNone(request) || Option.isNone(person)) return
        const runs = yield* unkeyedRuns.find(person.value, 0)
        const unkeyed = {
          setAsideMails: (yield* unkeyedRows.setAsideMails(person.value)).mails,
          outboxMails: yield* unkeyedRows.outboxMails(person.value)
        }
        const { bytes, counts } = yield* exportFile.write(person.value, unkeyed, {
          failedMailIDs: unkeyed.setAsideMails.map(({ failedMailID }) => failedMailID),
          externalIDs: unkeyed.setAsideMails.map(({ externalID }) => externalID),
          aiRunIDs: runs.filter(({ isShown }) => isShown).map(({ aiRunID }) => aiRunID),
          jobID: claim.jobID
        })
        const digest = createHash("sha256")
        const hashed = Stream.tap(bytes, (chunk) => Effect.sync(() => digest.update(chunk)))
        const stored = yield* blobs.store(customerID, hashed, largestFile)
        const isKept = yield* finish(request.value, claim, { ...stored, counts, hash: digest.digest("hex") }).pipe(
          Effect.onError(() => blobs.removeUnused(customerID, stored.blobID))
        )
        if (!isKept) yield* blobs.removeUnused(customerID, stored.blobID)
      })
    )
  })
)

const Forget = Layer.scopedDiscard(
  Effect.flatMap(DataRequestsRepo, ({ deleteExpired }) => onOneNode("forgetting exports", 60, deleteExpired))
)

/** Gathers what is known about a person into a file, and deletes files that may no longer be downloaded. */
export const ExportJob = Layer.merge(Gather, Forget)
