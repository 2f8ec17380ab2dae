import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Turns } from "../../src/pages/desk/Turns.ts"

/** A service whose responses come when they are released; each response that is taken shows its number. */
const makeService = () => {
  const waiting: Array<() => void> = []
  const shown: Array<number> = []
  const turns = new Turns(async (isNews) => {
    const number = waiting.length + 1
    await new Promise<void>((resolve) => waiting.push(resolve))
    if (isNews()) shown.push(number)
  })
  const answer = async (number: number) => {
    waiting[number - 1]?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { answer, asked: () => waiting.length, shown, turns }
}

describe("A refresh at the desk", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("starts within a moment, however much happens meanwhile", async () => {
    const { asked, turns } = makeService()
    for (const _ of Array.from({ length: 10 })) {
      turns.soon()
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(asked()).toBe(1)
  })

  it("is shown even if something has happened since, and is followed by another", async () => {
    const { answer, asked, shown, turns } = makeService()
    turns.now()
    for (const number of [1, 2, 3]) {
      turns.soon()
      turns.now()
      await vi.advanceTimersByTimeAsync(1000)
      expect(asked()).toBe(number)
      await answer(number)
      await vi.advanceTimersByTimeAsync(250)
    }
    expect(shown).toEqual([1, 2, 3])
    expect(asked()).toBe(4)
    await answer(4)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked()).toBe(4)
  })

  it("is dropped when something else is wanted by then", async () => {
    const { answer, asked, shown, turns } = makeService()
    turns.now()
    turns.anew()
    expect(asked()).toBe(2)
    await answer(1)
    await answer(2)
    expect(shown).toEqual([2])
  })

  it("does not wait for a response that does not come, but takes it if it comes after all", async () => {
    const { answer, asked, shown, turns } = makeService()
    turns.now()
    turns.soon()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(asked()).toBe(2)
    await answer(1)
    await answer(2)
    expect(shown).toEqual([1, 2])
    turns.now()
    turns.soon()
    await vi.advanceTimersByTimeAsync(30_000)
    await answer(4)
    await answer(3)
    expect(shown).toEqual([1, 2, 4])
  })

  it("waits as long as the service has asked for, unless a person asks", async () => {
    const { asked, turns } = makeService()
    turns.later(5000)
    turns.soon()
    await vi.advanceTimersByTimeAsync(4999)
    expect(asked()).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked()).toBe(1)
    turns.stop()
    const other = makeService()
    other.turns.later(5000)
    other.turns.now()
    expect(other.asked()).toBe(1)
    await other.answer(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(other.asked()).toBe(1)
  })

  it("is not repeated once the desk was left", async () => {
    const { answer, asked, shown, turns } = makeService()
    turns.now()
    turns.soon()
    turns.stop()
    await answer(1)
    turns.soon()
    await vi.advanceTimersByTimeAsync(60_000)
    expect([asked(), shown]).toEqual([1, []])
  })

  it("is not repeated once it has ended, whatever was still under way then", async () => {
    const { answer, asked, shown, turns } = makeService()
    turns.now()
    turns.stop()
    turns.anew()
    turns.soon()
    await answer(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([asked(), shown]).toEqual([1, []])
  })
})
