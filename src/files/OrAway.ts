import { Effect } from "effect"
import { StoreAway } from "../platform/BlobTrouble.ts"

/** Says in words what went wrong. When several addresses were tried, any one attempt gives the reason. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}

export const storeAway = (error: unknown) =>
  error instanceof StoreAway
    ? error
    : new StoreAway({ message: `The file store failed: ${reasonOf(error)}`, cause: error })

/** Runs work of a store. Any failure there is for the operator to fix; until then the caller may try again. */
export const orAway = <A>(work: (signal: AbortSignal) => Promise<A>) =>
  Effect.orDie(Effect.tryPromise({ try: work, catch: storeAway }))
