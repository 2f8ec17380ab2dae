import { Context } from "effect"

/** Which of one customer's jobs go first: what somebody waits for, what has just come in, what has lain there for long. */
export const ranks = { waitedFor: 0, fresh: 1, old: 2 } as const

export type JobRank = (typeof ranks)[keyof typeof ranks]

/** Whatever is enqueued here can wait for everything else of the customer. */
export class OldWork extends Context.Reference<OldWork>()("casework/OldWork", { defaultValue: () => false }) {}
