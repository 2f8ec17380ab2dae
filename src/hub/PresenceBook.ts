import { randomUUID } from "node:crypto"
import { Array as Arr, Context, Duration, Effect, Layer, Schedule } from "effect"
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

  /** Whose rows may not be as they should. */
  const unsettled = new Map<CustomerRepID, CustomerID>()

  /** A failed write is corrected by the next round, or the row expires. */
  const write = (statement: Effect.Effect<void>) =>
    oneAtATime
      .withPermits(1)(statement)
      .pipe(
        Effect.disconnect,
        // Connections are entered and left in uninterruptible regions, where a time limit would wait for the statement.
        Effect.interruptible,
        Effect.timeout(longestWrite),
        Effect.catchAllCause((cause) => Effect.logWarning("could not record who is connected", cause))
      )

  /** Those who connect or leave during a write share the next one. */
  const settleAll = Effect.suspend(() => {
    const reps = [...unsettled].map(([customerRepID, customerID]) => ({ customerID, customerRepID }))
    unsettled.clear()
    const [gone, here] = Arr.partition(reps, ({ customerRepID }) => present.has(customerRepID))
    return Effect.zipRight(
      here.length === 0 ? Effect.void : repo.renew(nodeID, here),
      gone.length === 0 ? Effect.void : repo.strikeOff(nodeID, gone)
    )
  })

  const settle = ({ customerID, customerRepID }: Representative) =>
    Effect.suspend(() => {
      unsettled.set(customerRepID, customerID)
      return write(settleAll)
    })

  const renewAll = Effect.suspend(() => {
    for (const [customerRepID, { customerID }] of present) unsettled.set(customerRepID, customerID)
    return write(settleAll)
  })

  yield* renewAll.pipe(Effect.schedule(Schedule.spaced(Duration.seconds(presentSeconds / 3))), Effect.forkScoped)
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
