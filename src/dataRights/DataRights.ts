import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import type { EndUserErasure, EndUserExport } from "../../schema/DataRights.ts"
import { NotFound } from "../../schema/Errors.ts"
import type { CustomerID, CustomerRepID, EndUserID } from "../../schema/Ids.ts"
import { AuditLog } from "../auth/AuditLog.ts"
import { type DataRequest, type DataRequestKind, DataRequestsRepo } from "../endUsers/DataRequestsRepo.ts"
import { EndUsersRepo } from "../endUsers/EndUsersRepo.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { eraseEndUser, exportEndUser } from "./DataRightsJobs.ts"
import { erasureOf, exportOf } from "./Receipts.ts"

/** The data rights of end users: to get the data kept about them, and to have it erased. */
export class DataRights extends Context.Tag("casework/DataRights")<
  DataRights,
  {
    readonly export: (endUserID: EndUserID) => Effect.Effect<EndUserExport, NotFound, CurrentRep>
    /** Fails like `export` would, without starting one. */
    readonly checkExport: (endUserID: EndUserID) => Effect.Effect<void, NotFound, CurrentRep>
    readonly erase: (endUserID: EndUserID) => Effect.Effect<EndUserErasure, NotFound, CurrentRep>
    readonly getErasure: (endUserID: EndUserID) => Effect.Effect<EndUserErasure, NotFound, CurrentRep>
    /** Starts a request unless one exists already. The operator asks without being a representative. */
    readonly request: (
      customerID: CustomerID,
      endUserID: EndUserID,
      kind: DataRequestKind,
      customerRepID: CustomerRepID | null
    ) => Effect.Effect<DataRequest, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    DataRights,
    Effect.suspend(() => make)
  )
}

const missing = (endUserID: EndUserID) => `There is no end user ${endUserID}.`

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* DataRequestsRepo
  const endUsers = yield* EndUsersRepo
  const jobs = yield* Jobs
  const audit = yield* AuditLog

  /** Finds a request that has not failed: a failed one is started again. */
  const findGood = (customerID: CustomerID, endUserID: EndUserID, kind: DataRequestKind) =>
    Effect.map(
      repo.find(customerID, endUserID, kind),
      Option.filter(({ status }) => status !== "Failed")
    )

  const start = fn("DataRights.start")(function* (
    customerID: CustomerID,
    endUserID: EndUserID,
    kind: DataRequestKind,
    customerRepID: CustomerRepID | null
  ) {
    const failed = yield* repo.find(customerID, endUserID, kind)
    // An erasure that failed after its first pass may be requested again although the end user is gone.
    if (Option.isNone(failed) || kind === "Export") {
      yield* endUsers.findForUpdate(customerID, endUserID).pipe(orNotFound(missing(endUserID)))
    }
    const begun = yield* findGood(customerID, endUserID, kind)
    if (Option.isSome(begun)) return begun.value
    const job = kind === "Export" ? exportEndUser : eraseEndUser
    const jobID = yield* jobs.enqueue(job, customerID, { endUserID }, `end user ${endUserID}`)
    if (Option.isSome(failed)) yield* repo.setJob(failed.value, jobID)
    else yield* repo.insert(customerID, { endUserID, kind, customerRepID, jobID })
    const event = kind === "Export" ? "EndUserExported" : "EndUserErased"
    yield* audit.record(customerID, customerRepID, event, { endUserID })
    return yield* repo.findByJob(customerID, jobID).pipe(Effect.flatten, Effect.orDie)
  }, inTransaction)

  const request = fn("DataRights.request")(function* (
    customerID: CustomerID,
    endUserID: EndUserID,
    kind: DataRequestKind,
    customerRepID: CustomerRepID | null
  ) {
    const known = yield* findGood(customerID, endUserID, kind)
    return Option.isSome(known) ? known.value : yield* start(customerID, endUserID, kind, customerRepID)
  })

  return DataRights.of({
    export: fn("DataRights.export")(function* (endUserID) {
      const { customerID, customerRepID } = yield* CurrentRep
      const found = yield* request(customerID, endUserID, "Export", customerRepID)
      // A representative who gets the file of another's request has exported the data as well.
      if (found.blobID !== null && found.customerRepID !== customerRepID) {
        yield* audit.record(customerID, customerRepID, "EndUserExported", { endUserID })
      }
      return exportOf(found)
    }),

    checkExport: fn("DataRights.checkExport")(function* (endUserID) {
      const { customerID } = yield* CurrentRep
      const known = yield* findGood(customerID, endUserID, "Export")
      if (Option.isNone(known)) yield* endUsers.find(customerID, endUserID).pipe(orNotFound(missing(endUserID)))
    }),

    erase: fn("DataRights.erase")(function* (endUserID) {
      const { customerID, customerRepID } = yield* CurrentRep
      return erasureOf(yield* request(customerID, endUserID, "Erasure", customerRepID))
    }),

    getErasure: fn("DataRights.getErasure")(function* (endUserID) {
      const { customerID } = yield* CurrentRep
      const found = yield* repo.find(customerID, endUserID, "Erasure")
      return Option.isSome(found)
        ? erasureOf(found.value)
        : yield* NotFound.of(`No erasure of an end user ${endUserID} was requested.`)
    }),

    request
  })
})
