import { Context, Effect } from "effect"

/** A run of actions, and how far it is from what a person or an end user did. */
export interface Chain {
  readonly automationRunID: string
  readonly firstRunID: string
  readonly depth: number
}

/** What follows from an action follows from its run; nothing else does. */
export class CurrentChain extends Context.Reference<CurrentChain>()("casework/CurrentChain", {
  defaultValue: (): Pick<Chain, "automationRunID"> | null => null
}) {}

/** Work that a job does for a run, when it was one that wanted it. */
export const inChain = (automationRunID: string | null) =>
  Effect.provideService(CurrentChain, automationRunID === null ? null : { automationRunID })

/** An action may cause events whose actions cause events: so far, and no further. */
export const deepestChain = 5
