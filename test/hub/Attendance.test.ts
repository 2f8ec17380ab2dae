import { expect, it } from "@effect/vitest"
import { CustomerID } from "../../schema/Ids.ts"
import { steadyAndRecent } from "../../src/hub/Attendance.ts"

const [always, between, since, back, gone] = [1, 2, 3, 4, 5].map((id) => CustomerID.make(id))

const attendance = (...present: ReadonlyArray<readonly [CustomerID | undefined, unknown]>) =>
  new Map(present.flatMap(([customerID, visit]) => (customerID === undefined ? [] : [[customerID, visit] as const])))

it("Who is here is told apart by how long it has been without a break", () => {
  const before = attendance([always, "a"], [back, "b"], [gone, "g"])
  const last = attendance([always, "a"], [between, "c"], [back, "b"])
  const now = attendance([always, "a"], [between, "c"], [since, "d"], [back, "b again"])
  expect(steadyAndRecent(now, last, before)).toEqual({ steady: [always], recent: [between] })
  // Who was away in the meantime is as one who came for the first time.
  expect(steadyAndRecent(now, now, last)).toEqual({ steady: [always, between], recent: [since, back] })
})

it("Nobody is steady who came while nothing was heard", () => {
  expect(steadyAndRecent(attendance([always, "a"]), attendance(), attendance())).toEqual({ steady: [], recent: [] })
})
