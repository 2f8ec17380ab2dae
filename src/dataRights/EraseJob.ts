import { Context, Effect, Layer, Option } from "effect"
import { type DataRequest, DataRequestsRepo } from "../endUsers/DataRequestsRepo.ts"
import { Blobs } from "../files/Blobs.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { eraseEndUser } from "./DataRightsJobs.ts"
import { Erasing } from "./Erasing.ts"
import type { FoundRows } from "./PersonalRowsSql.ts"
import { type Person, PersonsRepo } from "./PersonsRepo.ts"
import { hashOf } from "./Receipts.ts"
import { UnkeyedRows } from "./UnkeyedRows.ts"
import { UnkeyedRunsRepo } from "./UnkeyedRunsRepo.ts"

/**
 * When the second pass follows: after every model call, since no request takes that long, and every delivery has ended.
 */
export class ErasureTiming extends Context.Reference<ErasureTiming>()("casework/ErasureTiming", {
  defaultValue: () => ({ secondLookAfterSeconds: 360 })
}) {}

const nothingFound = { failedMailIDs: [], externalIDs: [] }

/**
 * Erases twice. The first pass does the actual work, but something that is running for the person at that moment, such
 * as a model call, may store its result afterwards. The second pass removes that, by the ids of the first, and the
 * files.
 */
export const EraseJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const inTransaction = yield* InTransaction
    const jobs = yield* Jobs
    const repo = yield* DataRequestsRepo
    const persons = yield* PersonsRepo
    const unkeyedRows = yield* UnkeyedRows
    const unkeyedRuns = yield* UnkeyedRunsRepo
    const erasing = yield* Erasing
    const blobs = yield* Blobs
    const { secondLookAfterSeconds } = yield* ErasureTiming

    const look = (request: DataRequest) => persons.find(request.customerID, request.endUserID)

    const eraseAll = fn("EraseJob.eraseAll")(function* (
      request: DataRequest,
      claim: JobClaim,
      known: Person,
      found: FoundRows,
      { behind, unreadable }: { readonly behind: number; readonly unreadable: number }
    ) {
      yield* erasing.holdMail(request.customerID)
      // Before locking anything that the stopped work may be waiting for.
      const stopped = yield* erasing.stopWork(known, found)
      const person = Option.getOrElse(yield* look(request), () => known)
      const newer = (yield* unkeyedRuns.find(person, behind)).map(({ aiRunID }) => aiRunID)
      const aiRunIDs = [...found.aiRunIDs, ...newer]
      const { blobIDs, counts } = yield* erasing.erase(person, { ...found, aiRunIDs })
      yield* repo.noteErased(request, {
        ...person,
        blobIDs,
        counts: { ...counts, Jobs: (counts["Jobs"] ?? 0) + stopped, UnreadableSetAsideMails: unreadable }
      })
      // At the end, since it locks the job and erasing may take long.
      yield* claim.confirm
    }, inTransaction)

    const firstLook = fn("EraseJob.firstLook")(function* (request: DataRequest, claim: JobClaim) {
      const person = yield* look(request)
      // Deleting an end user is refused while it is being erased. A receipt for nothing would be untrue.
      if (Option.isNone(person)) return yield* Effect.dieMessage("The end user no longer exists and was not erased.")
      // Search the runs before the transaction: there may be many, and mail is held up while the rest is erased.
      const behind = yield* unkeyedRuns.newest(request.customerID)
      const runs = yield* unkeyedRuns.find(person.value, 0)
      const { mails, unreadable } = yield* unkeyedRows.setAsideMails(person.value)
      const found = {
        failedMailIDs: mails.map(({ failedMailID }) => failedMailID),
        externalIDs: mails.map(({ externalID }) => externalID),
        aiRunIDs: runs.map(({ aiRunID }) => aiRunID),
        jobID: claim.jobID
      }
      yield* eraseAll(request, claim, person.value, found, { behind, unreadable })
    })

    const eraseLeftOver = fn("EraseJob.eraseLeftOver")(function* (request: DataRequest, claim: JobClaim) {
      const person = yield* persons.findLeftOver(request)
      const aiRunIDs = yield* unkeyedRuns.underWay(request)
      const erased = yield* erasing.erase(person, { ...nothingFound, aiRunIDs, jobID: claim.jobID })
      yield* claim.confirm
      return erased
    }, inTransaction)

    const finish = fn("EraseJob.finish")(function* (request: DataRequest, claim: JobClaim) {
      yield* claim.advance({ total: 1, done: 1 })
      yield* repo.finishErasure(request)
      const finished = yield* repo.findByJob(request.customerID, request.jobID)
      if (Option.isSome(finished)) yield* repo.setHash(request, hashOf(finished.value))
    }, inTransaction)

    yield* jobs.handle(
      eraseEndUser,
      fn("EraseJob.run")(function* (customerID, _, claim) {
        const found = yield* repo.findByJob(customerID, claim.jobID)
        if (Option.isNone(found) || found.value.finishedAt !== null) return undefined
        const request = found.value
        if (request.erasedAt === null) {
          yield* firstLook(request, claim)
          return new RunAgain({ pauseSeconds: secondLookAfterSeconds })
        }
        const late = yield* eraseLeftOver(request, claim)
        yield* Effect.forEach([...request.blobIDs, ...late.blobIDs], (blobID) => blobs.removeUnused(customerID, blobID))
        return yield* finish(request, claim)
      })
    )
  })
)
