import { randomUUID } from "node:crypto"
import { Context, Duration, Effect, Layer, Schedule } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import type { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PresenceRepo, presentSeconds } from "../representatives/PresenceRepo.ts"

// Nobody who comes, goes or stops waits for long on a database that does not answer.
const longestWrite = "2 seconds"

interface Present {
  readonly customerID: CustomerID
  connections: number
}

/** Writes down who is connected to this node, and goes on doing so as long as they are. */
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
  // One after the other: who left and came back at once must not be struck off last.
  const oneAtATime = yield* Effect.makeSemaphore(1)

  /** The database may be away: the next round puts it right, or the row grows old. */
  const write = (statement: Effect.Effect<void>) =>
    oneAtATime
      .withPermits(1)(statement)
      .pipe(
        Effect.interruptible,
        Effect.disconnect,
        Effect.timeout(longestWrite),
        Effect.catchAllCause((cause) => Effect.logWarning("could not write down who is connected", cause))
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
