import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Thread } from "../../src/pages/widget/Thread.ts"
import { makeTicketStore } from "../../src/pages/widget/TicketStore.ts"

/** The storage that all tabs of a browser share. */
const makeStorage = () => {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key)
  }
}

const makeTabs = () => [new Thread(makeTicketStore("c")), new Thread(makeTicketStore("c"))] as const

describe("A chat that is gone", () => {
  beforeEach(() => void vi.stubGlobal("localStorage", makeStorage()))
  afterEach(() => void vi.unstubAllGlobals())

  it("is forgotten, but not the one that another tab has begun since", () => {
    const [one, other] = makeTabs()
    for (const tab of [one, other]) tab.learn({ ticketID: 1, ticketToken: "first" })
    one.forget()
    expect([one.ticketID, one.token]).toEqual([undefined, undefined])
    one.learn({ ticketID: 2, ticketToken: "second" })
    other.forget()
    expect([other.ticketID, other.token]).toEqual([undefined, "second"])
    expect(one.place()).toEqual({ ticketID: 2 })
    expect(other.place()).toEqual({ ticketToken: "second" })
    other.forget()
    expect(other.remembered).toBeUndefined()
  })

  it("is forgotten by the token that was tried, also by a page that was not in it", () => {
    const [one, other] = makeTabs()
    one.learn({ ticketID: 1, ticketToken: "first" })
    other.forget("other")
    expect(other.remembered).toBe("first")
    other.forget("first")
    expect(other.remembered).toBeUndefined()
  })

  it("is forgotten where nothing can be stored", () => {
    vi.stubGlobal("localStorage", undefined)
    const [one] = makeTabs()
    one.learn({ ticketID: 1, ticketToken: "first" })
    expect(one.token).toBe("first")
    one.forget()
    expect(one.token).toBeUndefined()
  })
})
