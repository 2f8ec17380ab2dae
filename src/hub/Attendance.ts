import { Array as Arr } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

/** The customers that have clients here, each with a mark that stays the same as long as there is always one. */
export type Attendance = ReadonlyMap<CustomerID, unknown>

/** Of those who have been here since the last heartbeat: who was at the one before it too, and who came between them. */
export const steadyAndRecent = (now: Attendance, last: Attendance, before: Attendance) => {
  const hasBeenSince = (then: Attendance) => (customerID: CustomerID) => then.get(customerID) === now.get(customerID)
  const [recent, steady] = Arr.partition([...now.keys()].filter(hasBeenSince(last)), hasBeenSince(before))
  return { steady, recent }
}
