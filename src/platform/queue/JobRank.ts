import { Context } from "effect"

/** The order of one customer's jobs: what a person waits for, what has just come in, what has been there for long. */
export const ranks = { waitedFor: 0, fresh: 1, old: 2 } as const

export type JobRank = (typeof ranks)[keyof typeof ranks]

/** Whether jobs enqueued in this context can wait for all other jobs of the customer. */
export class OldWork extends Context.Reference<OldWork>()("casework/OldWork", { defaultValue: () => false }) {}
