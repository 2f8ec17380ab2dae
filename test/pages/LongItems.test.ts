import { expect, it } from "vitest"
import { allOf, firstOf } from "../../src/pages/desk/Lists.ts"
import { Problem } from "../../src/pages/desk/Problem.ts"

/** A list of 1 to 30 whose pages may have so many items. */
const listOf = (most: number) => {
  const asked: Array<number> = []
  const ask = async ({ pageNumber, pageSize }: { readonly pageNumber: number; readonly pageSize: number }) => {
    asked.push(pageSize)
    if (pageSize > most) throw new Problem("pageSize is too large for these items.", 400)
    const all = Array.from({ length: 30 }, (_, index) => index + 1)
    return { items: all.slice((pageNumber - 1) * pageSize, pageNumber * pageSize), totalCount: 30 }
  }
  return { ask, asked }
}

it("asks for smaller pages where the items are too long for a large one", async () => {
  const { ask, asked } = listOf(15)
  expect((await firstOf(1, ask)).items).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
  expect(asked).toEqual([200, 50, 13])
  expect(await allOf(listOf(1).ask)).toHaveLength(30)
})

it("shows no fewer items when more are asked for, wherever the long ones are", async () => {
  const ask = async ({ pageNumber, pageSize }: { readonly pageNumber: number; readonly pageSize: number }) => {
    const from = (pageNumber - 1) * pageSize
    const items = Array.from({ length: Math.min(pageSize, Math.max(0, 700 - from)) }, (_, index) => from + index)
    if (items.filter((one) => one >= 420 && one < 480).length > 30) throw new Problem("pageSize is too large.", 400)
    return { items, totalCount: 700 }
  }
  const shown: Array<number> = []
  for (const pages of [1, 2, 3, 4, 5]) shown.push((await firstOf(pages, ask)).items.length)
  expect(shown).toEqual(shown.toSorted((one, other) => one - other))
  expect([shown[1], new Set(shown).size]).toEqual([400, 5])
})

it("gives up when not even one item can be had, and at once when the service fails", async () => {
  const { ask, asked } = listOf(0)
  await expect(firstOf(1, ask)).rejects.toThrow("too large")
  expect(asked).toEqual([200, 50, 13, 4, 1])
  const asks: Array<number> = []
  const failing = async ({ pageSize }: { readonly pageSize: number }) => {
    asks.push(pageSize)
    throw new Problem("Try again.", 503)
  }
  await expect(firstOf(1, failing)).rejects.toThrow("Try again.")
  expect(asks).toEqual([200])
})
