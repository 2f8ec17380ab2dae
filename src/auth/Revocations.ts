import { Context, Effect, Layer, Schedule } from "effect"
import type { ChannelID, CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { makeRemembered } from "../platform/caching/Remembered.ts"
import { makeOnceForAll } from "../platform/concurrency/OnceForAll.ts"
import { steadyClock } from "../platform/concurrency/SteadyClock.ts"
import { AfterCommit } from "../platform/database/AfterCommit.ts"
import { awayAfter } from "../platform/database/DatabaseAway.ts"
import { RevocationsRepo } from "./RevocationsRepo.ts"

const everySoOften = Schedule.spaced("2 seconds")

// How long a check for changes counts. The next one is late when the node was paused or the database is unavailable.
const goodForSeconds = 5

// How long a request waits for a check; the regular ones may take longer.
const longestLook = "5 seconds"

// A change becomes visible only when its transaction commits, so each check reaches back a bit beyond the last one.
const overlapSeconds = 60

// Tokens live 12 hours, by a clock that may be five minutes ahead: older changes affect no token that is still valid.
const longestTokenSeconds = 12 * 60 * 60 + 5 * 60

// Twice the token lifetime, so that a clock set back by some hours does not make a revoked token valid again.
const rememberedSeconds = 2 * longestTokenSeconds

/**
 * Knows which tokens were revoked before they expired. A new password, a new role or deletion raises a representative's
 * security version, and a token carries the version it was made with; a call's token ends with its channel, and all of
 * a customer's with the customer. Every node keeps recent changes in memory, so that no request queries the database.
 */
export class Revocations extends Context.Tag("casework/Revocations")<
  Revocations,
  {
    readonly isCurrent: (customerRepID: CustomerRepID, securityVersion: number) => boolean
    /** Whether the channel of a call still exists. */
    readonly hasChannel: (channelID: ChannelID) => boolean
    /** Whether the customer still exists. */
    readonly hasCustomer: (customerID: CustomerID) => boolean
    /** Whether the last check is recent; it is not after a pause of the node. */
    readonly isFresh: () => boolean
    /** Checks for changes if the last check is too long ago. */
    readonly fresh: Effect.Effect<void>
    /** Takes effect on this node as soon as the change is committed; the other nodes notice within seconds. */
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

  // Only a successful check counts, so that nothing is missed while the database is unavailable.
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

  const onceForAll = yield* makeOnceForAll<void, never>()
  const isFresh = () => now() - lookedAt < goodForSeconds
  // While the database is away, requests would otherwise queue up to find that out one after another.
  const fresh = Effect.suspend(() => (isFresh() ? Effect.void : onceForAll("look", awayAfter(longestLook)(look))))

  yield* look
  yield* look.pipe(
    Effect.catchAllCause((cause) => Effect.logWarning("could not check for revoked tokens", cause)),
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
