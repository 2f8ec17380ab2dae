import { Context, Effect } from "effect"

/** A run of actions, and how many runs separate it from what a person or an end user did. */
export interface Chain {
  readonly automationRunID: string
  readonly firstRunID: string
  readonly depth: number
}

/** The run that the current work follows from; null unless an action caused it. */
export class CurrentChain extends Context.Reference<CurrentChain>()("casework/CurrentChain", {
  defaultValue: (): Pick<Chain, "automationRunID"> | null => null
}) {}

/** Marks a job's work as done for an automation run, if there is one. */
export const inChain = (automationRunID: string | null) =>
  Effect.provideService(CurrentChain, automationRunID === null ? null : { automationRunID })

/** An action may cause events whose actions cause events: chains end at this depth. */
export const deepestChain = 5
