import { Array as Arr } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"

/** Who has somebody here, each with what stays the same as long as there is always somebody. */
export type Attendance = ReadonlyMap<CustomerID, unknown>

/** Of those who have been here since the last heartbeat: who was at the one before it too, and who came between them. */
export const steadyAndRecent = (now: Attendance, last: Attendance, before: Attendance) => {
  const hasBeenSince = (then: Attendance) => (customerID: CustomerID) => then.get(customerID) === now.get(customerID)
  const [recent, steady] = Arr.partition([...now.keys()].filter(hasBeenSince(last)), hasBeenSince(before))
  return { steady, recent }
}
