import { Schema } from "effect"

/** How a step ended, as far as anything follows from it. */
export const StepKind = Schema.Literal("Done", "NotNeeded", "InSpam", "Wanting", "Spam", "Failed")

/** How a step ended; `outcome` says it in words, for people. */
export interface StepOutcome {
  readonly kind: typeof StepKind.Type
  readonly outcome: string
}

export const done = (outcome: string): StepOutcome => ({ kind: "Done", outcome })

/** There was no reason to do the step. An earlier step that failed may have been why. */
export const notForThisMessage: StepOutcome = { kind: "NotNeeded", outcome: "Not for this message" }
export const noTopics: StepOutcome = { kind: "NotNeeded", outcome: "No topics" }

export const ticketIsSpam: StepOutcome = { kind: "InSpam", outcome: "The ticket is spam" }

/** Something is missing that the customer may yet set up, such as a key. */
export const wanting = (missing: string): StepOutcome => ({ kind: "Wanting", outcome: `Skipped: ${missing}` })

export const isSpam = (reason: string): StepOutcome => ({ kind: "Spam", outcome: `Spam: ${reason}` })

export const failedFor = (reason: string): StepOutcome => ({ kind: "Failed", outcome: `Failed: ${reason}` })
