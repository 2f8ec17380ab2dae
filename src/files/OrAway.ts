import { Effect } from "effect"
import { StoreAway } from "../platform/BlobTrouble.ts"

/** What went wrong, in words. Of a connection that was tried on several addresses, any one attempt tells the reason. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}

export const storeAway = (error: unknown) =>
  error instanceof StoreAway ? error : new StoreAway({ message: `The store failed: ${reasonOf(error)}`, cause: error })

/** Work of a store. Whatever goes wrong there is for the operator to mend; until then the caller may come back. */
export const orAway = <A>(work: (signal: AbortSignal) => Promise<A>) =>
  Effect.orDie(Effect.tryPromise({ try: work, catch: storeAway }))
