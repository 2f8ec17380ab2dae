import { Data } from "effect"

/** The file store is unavailable at the moment: the caller did nothing wrong and may retry. */
export class StoreAway extends Data.TaggedError("StoreAway")<{ readonly message: string; readonly cause?: unknown }> {}

/** A row refers to a blob that the store does not have: an operator has to look into it. */
export class BytesMissing extends Data.TaggedError("BytesMissing")<{
  readonly customerID: number
  readonly blobID: string
}> {
  override get message() {
    return `The file store has no bytes for blob ${this.blobID} of customer ${this.customerID}`
  }
}

/** No caller can do anything about these two errors: as defects they pass through everything up to the response. */
export const isBlobTrouble = (error: unknown): error is StoreAway | BytesMissing =>
  error instanceof StoreAway || error instanceof BytesMissing
