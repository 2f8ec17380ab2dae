import { Context, Effect, Layer, Option, PubSub, type Queue, type Scope } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { postgresClient } from "../platform/database/PostgresClient.ts"
import { makePostgresBroadcast } from "./PostgresBroadcast.ts"
import type { Signal, TypingSignal } from "./Signal.ts"

/** Tells every node what happens on any of them. */
export class Broadcast extends Context.Tag("casework/Broadcast")<
  Broadcast,
  {
    /**
     * Announces events that the current transaction has recorded; nodes hear of them when it commits, or never. On
     * PostgreSQL the recording statement itself notifies (`eventChannel`), so there is nothing to do here.
     */
    readonly recorded: (customerID: CustomerID, eventIDs: ReadonlyArray<string>) => Effect.Effect<void>
    /** Announces events that are already committed. Nodes hear of them soon. */
    readonly committed: (customerID: CustomerID, eventIDs: ReadonlyArray<string>) => Effect.Effect<void>
    readonly typing: (typing: TypingSignal) => Effect.Effect<void>
    /** Whether events recorded on other nodes may be missed for a while and have to be looked up later. */
    readonly mayMiss: boolean
    readonly subscribe: Effect.Effect<Queue.Dequeue<Signal>, never, Scope.Scope>
  }
>() {
  static readonly layer = Layer.scoped(
    Broadcast,
    Effect.flatMap(postgresClient, Option.match({ onNone: () => makeLocalBroadcast, onSome: makePostgresBroadcast }))
  )
}

/**
 * The embedded database serves one process. It has a single connection, so looking up an event waits until the
 * transaction that has recorded it ends.
 */
const makeLocalBroadcast = Effect.gen(function* () {
  const signals = yield* PubSub.unbounded<Signal>()
  const recorded = (customerID: CustomerID, eventIDs: ReadonlyArray<string>) =>
    PubSub.publishAll(
      signals,
      eventIDs.map((eventID) => ({ _tag: "Recorded", customerID, eventID }) as const)
    )
  return Broadcast.of({
    recorded,
    committed: recorded,
    typing: (typing) => PubSub.publish(signals, { _tag: "Typing", typing }),
    mayMiss: false,
    subscribe: PubSub.subscribe(signals)
  })
})
