import { Array as Arr } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

/** The customers with clients on this node, each with a marker that stays the same while at least one is connected. */
export type Attendance = ReadonlyMap<CustomerID, unknown>

/**
 * Splits the customers present since the last heartbeat: `steady` ones were also present at the one before it, `recent`
 * ones came between the two.
 */
export const steadyAndRecent = (now: Attendance, last: Attendance, before: Attendance) => {
  const hasBeenSince = (then: Attendance) => (customerID: CustomerID) => then.get(customerID) === now.get(customerID)
  const [recent, steady] = Arr.partition([...now.keys()].filter(hasBeenSince(last)), hasBeenSince(before))
  return { steady, recent }
}
