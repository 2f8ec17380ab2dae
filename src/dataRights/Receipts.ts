import { createHash } from "node:crypto"
import { Schema, Struct } from "effect"
import { EndUserErasure, EndUserExport } from "../../schema/DataRights.ts"
import type { DataRequest } from "../endUsers/DataRequestsRepo.ts"

const common = (request: DataRequest) => ({
  ReceiptID: request.dataRequestID,
  EndUserID: request.endUserID,
  JobID: request.jobID,
  Status: request.status,
  Counts: request.counts,
  DateRequested: request.requestedAt,
  DateFinished: request.finishedAt
})

export const erasureOf = (request: DataRequest) => new EndUserErasure({ ...common(request), Hash: request.hash })

export const exportOf = (request: DataRequest) =>
  new EndUserExport({
    ...common(request),
    AccessToken: request.blobID === null ? null : request.accessToken,
    DateExpires: request.expiresAt,
    Size: request.size,
    Hash: request.hash
  })

const encode = Schema.encodeSync(EndUserErasure)

/** Lets the holder of a copy of the receipt check that it is unchanged. */
export const hashOf = (request: DataRequest) =>
  createHash("sha256")
    .update(JSON.stringify(Struct.omit(encode(erasureOf(request)), "Hash")))
    .digest("hex")
