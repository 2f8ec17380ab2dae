import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer, Schedule } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import type { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { presentSeconds } from "./Presence.ts"

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
  const sql = yield* SqlClient.SqlClient
  const nodeID = randomUUID()
  const present = new Map<CustomerRepID, Present>()
  // One after the other: who left and came back at once must not be struck off last.
  const oneAtATime = yield* Effect.makeSemaphore(1)

  const renew = (reps: ReadonlyArray<readonly [CustomerRepID, Present]>) =>
    reps.length === 0
      ? Effect.void
      : sql`
          insert into hub_presence (node_id, customer_id, customer_rep_id)
          select ${nodeID}::uuid, p.customer_id, p.customer_rep_id
          from unnest(${reps.map(([, { customerID }]) => customerID)}::int[], ${reps.map(([id]) => id)}::int[])
            as p (customer_id, customer_rep_id)
          join customer_rep r on r.customer_id = p.customer_id and r.customer_rep_id = p.customer_rep_id
          on conflict (customer_id, customer_rep_id, node_id) do update set seen_at = now()`

  const strikeOff = (customerID: CustomerID, customerRepID: CustomerRepID) =>
    sql`
      delete from hub_presence where customer_id = ${customerID} and customer_rep_id = ${customerRepID}
        and node_id = ${nodeID}::uuid`

  /** The database may be away: the next round puts it right, or the row grows old. */
  const write = <E>(statement: Effect.Effect<unknown, E>) =>
    oneAtATime
      .withPermits(1)(statement)
      .pipe(
        Effect.interruptible,
        Effect.disconnect,
        Effect.timeout(longestWrite),
        Effect.catchAllCause((cause) => Effect.logWarning("could not write down who is connected", cause)),
        Effect.asVoid
      )

  const settle = ({ customerID, customerRepID }: Representative) =>
    write(
      Effect.suspend((): Effect.Effect<unknown, unknown> => {
        const entry = present.get(customerRepID)
        return entry === undefined ? strikeOff(customerID, customerRepID) : renew([[customerRepID, entry]])
      })
    )

  yield* write(Effect.suspend((): Effect.Effect<unknown, unknown> => renew([...present]))).pipe(
    Effect.schedule(Schedule.spaced(Duration.seconds(presentSeconds / 3))),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    present.size === 0
      ? Effect.void
      : write(sql`/* all customers: this node's own */ delete from hub_presence where node_id = ${nodeID}::uuid`)
  )

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
