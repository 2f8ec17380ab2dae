import { lookup, Resolver } from "node:dns/promises"
import { Context, Data, Deferred, Effect, Either, FiberId, FiberSet } from "effect"

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** A name was not resolved; the code is the resolver's, such as ENOTFOUND. */
export class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly code: string }> {}

export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<ResolvedAddress>, LookupFailed>

const failed = (error: unknown) =>
  new LookupFailed({ code: error instanceof Error && "code" in error ? String(error.code) : "" })

const system: Resolve = (hostname) => Effect.tryPromise({ try: () => lookup(hostname, { all: true }), catch: failed })

const isUnknown = ({ code }: LookupFailed) => code === "ENOTFOUND" || code === "ENODATA"

/** A resolver for each lookup: the servers of the machine may change while the service runs. */
const dns: Resolve = (hostname) =>
  Effect.gen(function* () {
    const resolver = yield* Effect.acquireRelease(
      Effect.sync(() => new Resolver({ timeout: 2000, tries: 2 })),
      (used) => Effect.sync(() => used.cancel())
    )
    const ask = (family: 4 | 6) =>
      Effect.tryPromise({
        try: () => (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname)),
        catch: failed
      }).pipe(
        Effect.map((addresses) => addresses.map((address) => ({ address, family }))),
        Effect.either
      )
    const answers = yield* Effect.all([ask(4), ask(6)], { concurrency: 2 })
    const addresses = answers.flatMap((answer) => (Either.isRight(answer) ? answer.right : []))
    if (addresses.length > 0) return addresses
    // If one family is unknown and the other was not answered, the name may well have an address.
    const failures = answers.flatMap((answer) => (Either.isLeft(answer) ? [answer.left] : []))
    return yield* failures.find((failure) => !isUnknown(failure)) ?? new LookupFailed({ code: "ENOTFOUND" })
  }).pipe(Effect.scoped)

/**
 * Finds the addresses of a name: by DNS, with sockets of its own, so that any number of slow names can be waited for at
 * once; or as the system does, which also knows a hosts file and other local names.
 */
export class NameLookup extends Context.Reference<NameLookup>()("casework/NameLookup", {
  defaultValue: () => ({ dns, system })
}) {}

// The system's resolver uses a pool of four threads, which password hashing needs, too: slow names must not take them
// all.
const systemLookupsAtOnce = 2

// As long as connecting may take.
const patience = "10 seconds"

interface Lookup {
  readonly found: Deferred.Deferred<ReadonlyArray<ResolvedAddress>, LookupFailed>
  waiting: number
}

/** The names that only the system may know. */
interface LocalNames {
  readonly isLocal: (hostname: string) => boolean
  /** Whether a name that DNS does not know may be local all the same. */
  readonly mayBeMore: boolean
}

/**
 * Resolves a name once for all callers that want it at the moment. Customers choose most names, and what one of them
 * names must not hold up the others: only local names go to the system's resolver, which cannot be stopped. A lookup
 * there keeps its slot until it ends, and is not started if no caller waits for it any more.
 */
export const makeSharedLookup = ({ isLocal, mayBeMore }: LocalNames) =>
  Effect.gen(function* () {
    const names = yield* NameLookup
    const slots = yield* Effect.makeSemaphore(systemLookupsAtOnce)
    const fork = yield* FiberSet.makeRuntime<never>()
    const underWay = new Map<string, Lookup>()

    const bySystem = (hostname: string, one: Lookup) =>
      slots.withPermits(1)(
        Effect.suspend(() => (one.waiting === 0 ? new LookupFailed({ code: "ECANCELLED" }) : names.system(hostname)))
      )

    const resolve = (hostname: string, one: Lookup) => {
      if (isLocal(hostname)) return bySystem(hostname, one)
      return Effect.catchIf(
        names.dns(hostname),
        (failure) => mayBeMore && isUnknown(failure),
        () => bySystem(hostname, one)
      )
    }

    const begin = (hostname: string): Lookup => {
      const begun: Lookup = { found: Deferred.unsafeMake(FiberId.none), waiting: 0 }
      underWay.set(hostname, begun)
      fork(
        resolve(hostname, begun).pipe(
          Effect.ensuring(Effect.sync(() => underWay.delete(hostname))),
          Effect.intoDeferred(begun.found)
        )
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
