import type { Schema } from "effect"
import type { JobRank } from "./JobRank.ts"

/** A kind of job, with the schema of its payload. Payloads hold ids, never secrets. */
export interface JobKind<Payload, Encoded> {
  readonly kind: string
  readonly payload: Schema.Schema<Payload, Encoded>
  /** Which jobs go first. By default, a person waits for the job. */
  readonly rank?: JobRank
  /** Whether the job may wait for a model: such jobs get only a part of the workers. */
  readonly asksModels?: boolean
}

/** Infers both types of a kind from the schema of its payload. */
export const jobKind = <Payload, Encoded>(kind: JobKind<Payload, Encoded>) => kind
