import type { CustomerID } from "../../schema/Ids.ts"
import type { Attendance } from "./Attendance.ts"

/**
 * Keeps, for each customer, the snapshot of the last heartbeat before its first client came: events that it sees never
 * have to be sent. Unlike the oldest open transaction, it is not held back by a long one.
 */
export const makeSnapshotsBefore = (first: string) => {
  let last = first
  let known = new Map<CustomerID, { readonly attendance: unknown; readonly snapshot: string }>()
  return {
    beat: (snapshot: string) => {
      last = snapshot
    },
    /** Notes which customers have clients here now. */
    note: (now: Attendance) => {
      const noted: typeof known = new Map()
      for (const [customerID, attendance] of now) {
        const before = known.get(customerID)
        const isSame = before !== undefined && before.attendance === attendance
        noted.set(customerID, isSame ? before : { attendance, snapshot: last })
      }
      known = noted
    },
    of: (customerID: CustomerID) => known.get(customerID)?.snapshot ?? last
  }
}
