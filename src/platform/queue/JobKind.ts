import type { Schema } from "effect"
import type { JobRank } from "./JobRank.ts"

/** A kind of work, with the shape of what it needs to know. Payloads hold ids, never secrets. */
export interface JobKind<Payload, Encoded> {
  readonly kind: string
  readonly payload: Schema.Schema<Payload, Encoded>
  /** Which jobs go first. Without a rank, somebody waits for the job. */
  readonly rank?: JobRank
  /** Whether it may wait for a model: then it has only a part of the workers. */
  readonly asksModels?: boolean
}

/** Infers both types of a kind from the schema of its payload. */
export const jobKind = <Payload, Encoded>(kind: JobKind<Payload, Encoded>) => kind
