import { Context, Effect, Layer, Schedule } from "effect"
import type { ChannelID, CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { AfterCommit } from "../platform/database/AfterCommit.ts"
import { makeRemembered } from "../platform/Remembered.ts"
import { steadyClock } from "../platform/SteadyClock.ts"
import { RevocationsRepo } from "./RevocationsRepo.ts"

const everySoOften = Schedule.spaced("2 seconds")

// How long a look counts. The next one comes late while the node is paused or the database is away.
const goodForSeconds = 5

// A change becomes visible only when its transaction commits: each look goes back a bit further than the last one.
const overlapSeconds = 60

// Tokens live 12 hours, by a clock that may be ahead by five minutes: older changes concern none that is still valid.
const longestTokenSeconds = 12 * 60 * 60 + 5 * 60

// Twice as long as tokens live, so that no clock that is set back by some hours brings a token back.
const rememberedSeconds = 2 * longestTokenSeconds

/**
 * Knows which tokens have ended before their time. Each representative has a security version that a new password, a
 * new role or its deletion raises; a token carries the version it was made with. The token of a call ends with its
 * channel, and all tokens of a customer end with the customer. Every node keeps the recent changes in memory, so that
 * no request has to ask the database, and forgets those that concern no token any more.
 */
export class Revocations extends Context.Tag("casework/Revocations")<
  Revocations,
  {
    readonly isCurrent: (customerRepID: CustomerRepID, securityVersion: number) => boolean
    /** Whether the channel of a call has not been deleted. */
    readonly hasChannel: (channelID: ChannelID) => boolean
    /** Whether the customer has not been removed. */
    readonly hasCustomer: (customerID: CustomerID) => boolean
    /** Whether the last look is not too long ago, as it is after a pause of the node. */
    readonly isFresh: () => boolean
    /** Looks for changes when the last look is too long ago. */
    readonly fresh: Effect.Effect<void>
    /** Tells this node as soon as the change is committed; the others find out within seconds. */
    readonly raised: (customerRepID: CustomerRepID, securityVersion: number) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    Revocations,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(RevocationsRepo.layer))
}

const make = Effect.gen(function* () {
  const repo = yield* RevocationsRepo
  const clock = yield* steadyClock
  /** In seconds. */
  const now = () => clock() / 1000
  const versions = makeRemembered<CustomerRepID, number>(rememberedSeconds)
  const raise = (customerRepID: CustomerRepID, version: number) => {
    if (version > (versions.get(customerRepID) ?? 0)) versions.learn(customerRepID, version, now())
  }
  const deletedChannels = makeRemembered<ChannelID, true>(rememberedSeconds)
  const removedCustomers = makeRemembered<CustomerID, true>(rememberedSeconds)

  // Only a look that succeeded counts, so that nothing is missed while the database is away.
  let lookedAt = now() - longestTokenSeconds
  const look = Effect.gen(function* () {
    const started = now()
    const seconds = started - lookedAt + overlapSeconds
    for (const row of yield* repo.raisedVersions(seconds)) raise(row.customerRepID, row.securityVersion)
    for (const channelID of yield* repo.deletedChannels(seconds)) deletedChannels.learn(channelID, true, started)
    for (const customerID of yield* repo.removedCustomers(seconds)) removedCustomers.learn(customerID, true, started)
    for (const remembered of [versions, deletedChannels, removedCustomers]) remembered.forget(started)
    lookedAt = started
  })

  const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)
  const isFresh = () => now() - lookedAt < goodForSeconds
  const lookIfStale = Effect.suspend(() => (isFresh() ? Effect.void : look))
  const fresh = Effect.suspend(() => (isFresh() ? Effect.void : oneAtATime(lookIfStale)))

  yield* look
  yield* look.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("could not look for revoked tokens", cause)),
    Effect.schedule(everySoOften),
    Effect.forkScoped
  )
  return Revocations.of({
    isCurrent: (customerRepID, version) => version >= (versions.get(customerRepID) ?? 0),
    hasChannel: (channelID) => !deletedChannels.has(channelID),
    hasCustomer: (customerID) => !removedCustomers.has(customerID),
    isFresh,
    fresh,
    raised: (customerRepID, version) =>
      Effect.flatMap(AfterCommit, (afterCommit) => afterCommit(Effect.sync(() => raise(customerRepID, version))))
  })
})
