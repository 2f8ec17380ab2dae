import { lookup } from "node:dns/promises"
import { Context, Data, Deferred, Effect, FiberId, FiberSet } from "effect"

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** A name without an address; the code is the resolver's, such as ENOTFOUND. */
class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly code: string }> {}

export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<ResolvedAddress>, LookupFailed>

const systemLookup: Resolve = (hostname) =>
  Effect.tryPromise({
    try: () => lookup(hostname, { all: true }),
    catch: (error) => new LookupFailed({ code: error instanceof Error && "code" in error ? String(error.code) : "" })
  })

/** Finds the addresses behind a name. */
export class NameLookup extends Context.Reference<NameLookup>()("casework/NameLookup", {
  defaultValue: () => systemLookup
}) {}

// The system's resolver takes one of four threads, which password hashing needs too: slow names must not hold them all.
const lookupsAtOnce = 2

// As long as a connection may take.
const patience = "10 seconds"

interface Lookup {
  readonly found: Deferred.Deferred<ReadonlyArray<ResolvedAddress>, LookupFailed>
  waiting: number
}

/**
 * Finds the addresses of a name once for all who want them at the moment. Nobody can stop the system's resolver, so a
 * lookup keeps its place until it has an answer: one slow name has one of the places, however often it is called. What
 * nobody waits for any more is not begun.
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
