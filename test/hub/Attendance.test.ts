import { expect, it } from "@effect/vitest"
import { CustomerID } from "../../schema/Ids.ts"
import { steadyAndRecent } from "../../src/hub/Attendance.ts"

const [always, between, since, back, gone] = [1, 2, 3, 4, 5].map((id) => CustomerID.make(id))

const attendance = (...present: ReadonlyArray<readonly [CustomerID | undefined, unknown]>) =>
  new Map(present.flatMap(([customerID, visit]) => (customerID === undefined ? [] : [[customerID, visit] as const])))

it("A customer is steady after three looks in a row, and recent after two", () => {
  const before = attendance([always, "a"], [back, "b"], [gone, "g"])
  const last = attendance([always, "a"], [between, "c"], [back, "b"])
  const now = attendance([always, "a"], [between, "c"], [since, "d"], [back, "b again"])
  expect(steadyAndRecent(now, last, before)).toEqual({ steady: [always], recent: [between] })
  // A customer that was away in between counts as new.
  expect(steadyAndRecent(now, now, last)).toEqual({ steady: [always, between], recent: [since, back] })
})

it("A customer that has only just come is neither steady nor recent", () => {
  expect(steadyAndRecent(attendance([always, "a"]), attendance(), attendance())).toEqual({ steady: [], recent: [] })
})
