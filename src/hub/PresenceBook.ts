import { randomUUID } from "node:crypto"
import { Context, Duration, Effect, Layer, Schedule } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import type { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PresenceRepo, presentSeconds } from "../representatives/PresenceRepo.ts"

// Limits how long connecting, disconnecting and shutting down wait for a database that does not respond.
const longestWrite = "2 seconds"

interface Present {
  readonly customerID: CustomerID
  connections: number
}

/** Stores which representatives are connected to this node, and renews that while they are. */
export class PresenceBook extends Context.Tag("casework/PresenceBook")<
  PresenceBook,
  {
    readonly entered: (rep: Representative) => Effect.Effect<void>
    readonly left: (rep: Representative) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    PresenceBook,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const repo = yield* PresenceRepo
  const nodeID = randomUUID()
  const present = new Map<CustomerRepID, Present>()
  // One write at a time: for a representative who left and came back at once, the removal must not be written last.
  const oneAtATime = yield* Effect.makeSemaphore(1)

  /** A failed write is corrected by the next round, or the row expires. */
  const write = (statement: Effect.Effect<void>) =>
    oneAtATime
      .withPermits(1)(statement)
      .pipe(
        Effect.interruptible,
        Effect.disconnect,
        Effect.timeout(longestWrite),
        Effect.catchAllCause((cause) => Effect.logWarning("could not record who is connected", cause))
      )

  const settle = ({ customerID, customerRepID }: Representative) =>
    write(
      Effect.suspend(() =>
        present.has(customerRepID)
          ? repo.renew(nodeID, [{ customerID, customerRepID }])
          : repo.strikeOff(customerID, customerRepID, nodeID)
      )
    )

  const renewAll = Effect.suspend(() => {
    const reps = [...present].map(([customerRepID, { customerID }]) => ({ customerID, customerRepID }))
    return reps.length === 0 ? Effect.void : repo.renew(nodeID, reps)
  })

  yield* write(renewAll).pipe(Effect.schedule(Schedule.spaced(Duration.seconds(presentSeconds / 3))), Effect.forkScoped)
  yield* Effect.addFinalizer(() => (present.size === 0 ? Effect.void : write(repo.strikeOffNode(nodeID))))

  return PresenceBook.of({
    entered: fn("PresenceBook.entered")(function* (rep) {
      const entry = present.get(rep.customerRepID)
      if (entry !== undefined) {
        entry.connections += 1
        return
      }
      present.set(rep.customerRepID, { customerID: rep.customerID, connections: 1 })
      yield* settle(rep)
    }),
    left: fn("PresenceBook.left")(function* (rep) {
      const entry = present.get(rep.customerRepID)
      if (entry === undefined) return
      entry.connections -= 1
      if (entry.connections > 0) return
      present.delete(rep.customerRepID)
      yield* settle(rep)
    })
  })
})
