import { expect, it } from "@effect/vitest"
import { spelledPatterns } from "../../src/platform/database/SearchWords.ts"

it("A word is looked for in every spelling that an index finds, or in all when it finds none", () => {
  expect(spelledPatterns("  Ménagère 50% ")).toEqual([["%Ménagère%", "%Me\u0301nage\u0300re%"], ["%50\\%%"]])
  for (const word of ["für", "Tür", "été", "père", "hàng"]) {
    expect(spelledPatterns(word.normalize("NFD"))).toEqual([[`%${word.normalize("NFC")}%`]])
  }
  expect(spelledPatterns("ü")).toEqual([["%ü%", "%u\u0308%"]])
  expect(spelledPatterns(undefined)).toEqual([])
  expect(spelledPatterns("e e  e")).toEqual([["%e%"]])
})
