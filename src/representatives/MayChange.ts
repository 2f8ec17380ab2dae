import { Effect } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { Forbidden } from "../../schema/Errors.ts"
import type { CustomerRepID } from "../../schema/Ids.ts"

export const missing = (customerRepID: CustomerRepID) => `There is no representative ${customerRepID}.`

/** An Admin may change every representative, an Agent only itself. */
export const mayChange = (customerRepID: CustomerRepID) =>
  Effect.flatMap(CurrentRep, (rep) =>
    rep.role === "Admin" || rep.customerRepID === customerRepID
      ? Effect.void
      : Forbidden.of("Only an Admin may change another representative.")
  )
