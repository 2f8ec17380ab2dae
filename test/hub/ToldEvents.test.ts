import { expect, it } from "@effect/vitest"
import { makeToldEvents } from "../../src/hub/ToldEvents.ts"

it("Told events are remembered until no query could find them again", () => {
  const told = makeToldEvents("10:12:10")
  told.add({ eventID: "1", transactionID: 11n })
  told.add({ eventID: "2", transactionID: 25n })
  expect([told.has("1"), told.has("2"), told.has("3"), told.count()]).toEqual([true, true, false, 2])
  told.beat("20:30:")
  // The next query still begins with transaction 10.
  expect([told.previousOpen(), told.oldestOpen(), told.has("1")]).toEqual([10n, 20n, true])
  told.beat("26:30:")
  expect([told.previousOpen(), told.oldestOpen()]).toEqual([20n, 26n])
  expect([told.has("1"), told.has("2"), told.count()]).toEqual([false, true, 1])
  told.beat("26:31:")
  expect(told.count()).toBe(0)
})

it("A transaction that stays open keeps everything that was recorded since", () => {
  const told = makeToldEvents("10:12:10")
  told.add({ eventID: "1", transactionID: 10n })
  for (let beat = 0; beat < 5; beat++) told.beat("10:90:10")
  expect(told.has("1")).toBe(true)
})
