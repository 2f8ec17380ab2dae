import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import type { Retention } from "../platform/queue/Retention.ts"

/** Removes the rows of nodes that are gone. */
export const presenceRetention: Retention = { table: "hub_presence", since: "seen_at", for: "10 minutes" }

/** A node renews its rows three times within this time; a node that does not is gone. */
export const presentSeconds = 30

type Connected = Pick<Representative, "customerID" | "customerRepID">

/** Which representatives are connected to the hub, on any node. */
export class PresenceRepo extends Context.Tag("casework/PresenceRepo")<
  PresenceRepo,
  {
    readonly isAgentAvailable: (customerID: CustomerID) => Effect.Effect<boolean>
    /** Renews the rows of the representatives connected to a node, of all customers. */
    readonly renew: (nodeID: string, reps: ReadonlyArray<Connected>) => Effect.Effect<void>
    /** Removes the rows of representatives who left a node, of all customers. */
    readonly strikeOff: (nodeID: string, reps: ReadonlyArray<Connected>) => Effect.Effect<void>
    /** Removes all rows of a node that is stopping. */
    readonly strikeOffNode: (nodeID: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    PresenceRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const pairsOf = (reps: ReadonlyArray<Connected>) => sql`
    unnest(${reps.map(({ customerID }) => customerID)}::int[],
      ${reps.map(({ customerRepID }) => customerRepID)}::int[]) as p (customer_id, customer_rep_id)`
  return PresenceRepo.of({
    isAgentAvailable: (customerID) =>
      sql`
        select 1 from hub_presence where customer_id = ${customerID}
          and seen_at > now() - make_interval(secs => ${presentSeconds}) limit 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orDie
      ),
    renew: (nodeID, reps) =>
      sql`
        insert into hub_presence (node_id, customer_id, customer_rep_id)
        select ${nodeID}::uuid, p.customer_id, p.customer_rep_id from ${pairsOf(reps)}
        join customer_rep r on r.customer_id = p.customer_id and r.customer_rep_id = p.customer_rep_id
        on conflict (customer_id, customer_rep_id, node_id) do update set seen_at = now()`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    strikeOff: (nodeID, reps) =>
      sql`
        delete from hub_presence h using ${pairsOf(reps)}
        where h.customer_id = p.customer_id and h.customer_rep_id = p.customer_rep_id
          and h.node_id = ${nodeID}::uuid`.pipe(Effect.asVoid, Effect.orDie),
    strikeOffNode: (nodeID) =>
      sql`/* all customers: this node's own */ delete from hub_presence where node_id = ${nodeID}::uuid`.pipe(
        Effect.asVoid,
        Effect.orDie
      )
  })
})
