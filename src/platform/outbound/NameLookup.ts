import { lookup } from "node:dns/promises"
import { Context, Data, Deferred, Effect, FiberId, FiberSet } from "effect"

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** A name was not resolved; the code is the resolver's, such as ENOTFOUND. */
class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly code: string }> {}

export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<ResolvedAddress>, LookupFailed>

const systemLookup: Resolve = (hostname) =>
  Effect.tryPromise({
    try: () => lookup(hostname, { all: true }),
    catch: (error) => new LookupFailed({ code: error instanceof Error && "code" in error ? String(error.code) : "" })
  })

/** Finds the addresses of a name. */
export class NameLookup extends Context.Reference<NameLookup>()("casework/NameLookup", {
  defaultValue: () => systemLookup
}) {}

// The system's resolver uses a pool of four threads, which password hashing needs, too: slow names must not take them
// all.
const lookupsAtOnce = 2

// As long as connecting may take.
const patience = "10 seconds"

interface Lookup {
  readonly found: Deferred.Deferred<ReadonlyArray<ResolvedAddress>, LookupFailed>
  waiting: number
}

/**
 * Resolves a name once for all callers that want it at the moment. The system's resolver cannot be stopped, so a lookup
 * keeps its slot until it ends: one slow name has one slot, however often it is called. A lookup is not started if no
 * caller waits for it any more.
 */
export const makeSharedLookup = (resolve: Resolve) =>
  Effect.gen(function* () {
    const places = yield* Effect.makeSemaphore(lookupsAtOnce)
    const fork = yield* FiberSet.makeRuntime<never>()
    const underWay = new Map<string, Lookup>()

    const begin = (hostname: string): Lookup => {
      const begun: Lookup = { found: Deferred.unsafeMake(FiberId.none), waiting: 0 }
      const work = Effect.suspend(() =>
        begun.waiting === 0 ? new LookupFailed({ code: "ECANCELLED" }) : resolve(hostname)
      )
      underWay.set(hostname, begun)
      fork(
        places
          .withPermits(1)(work)
          .pipe(Effect.ensuring(Effect.sync(() => underWay.delete(hostname))), Effect.intoDeferred(begun.found))
      )
      return begun
    }

    const shared: Resolve = (hostname) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const one = underWay.get(hostname) ?? begin(hostname)
          one.waiting += 1
          return one
        }),
        ({ found }) => Deferred.await(found),
        (one) => Effect.sync(() => (one.waiting -= 1))
      ).pipe(Effect.timeoutFail({ duration: patience, onTimeout: () => new LookupFailed({ code: "ETIMEDOUT" }) }))
    return shared
  })
