import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

/** A node renews its rows three times in this while; one that does not is gone. */
export const presentSeconds = 30

/** Who is connected to the hub, on whichever node. */
export class Presence extends Context.Tag("casework/Presence")<
  Presence,
  { readonly isAgentAvailable: (customerID: CustomerID) => Effect.Effect<boolean> }
>() {
  static readonly layer = Layer.effect(
    Presence,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      isAgentAvailable: (customerID: CustomerID) =>
        sql`
          select 1 from hub_presence where customer_id = ${customerID}
            and seen_at > now() - make_interval(secs => ${presentSeconds}) limit 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        )
    }))
  )
}
