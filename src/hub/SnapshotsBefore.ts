import type { CustomerID } from "../../schema/Ids.ts"
import type { Attendance } from "./Attendance.ts"

/**
 * What the database showed before the first of a customer's clients came, as of the last heartbeat before: whatever that
 * snapshot sees was never to be told. A transaction that stays open for long says nothing about it.
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
