import { expect, it } from "@effect/vitest"
import { makeRemembered } from "../../src/platform/caching/Remembered.ts"

it("A learned value is kept for a while, and longer when it is learned again", () => {
  const remembered = makeRemembered<string, number>(10)
  for (const [at, key] of ["a", "b", "c"].entries()) remembered.learn(key, 1, at)
  remembered.learn("a", 2, 5)
  const known = (now: number) => {
    remembered.forget(now)
    return ["a", "b", "c"].map((key) => (remembered.has(key) ? remembered.get(key) : undefined))
  }
  expect(known(11)).toEqual([2, 1, 1])
  expect(known(12)).toEqual([2, undefined, 1])
  expect(known(15)).toEqual([2, undefined, undefined])
  expect(known(16)).toEqual([undefined, undefined, undefined])
})
