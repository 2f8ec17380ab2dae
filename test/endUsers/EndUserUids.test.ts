import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { EndUserUIDID } from "../../schema/Ids.ts"
import { changeUids, link, sameWord, type Uid } from "../../src/endUsers/EndUserUids.ts"

const word = fc.constantFrom("a", "A", "b", "B", "c", "d@x", "D@X")
const type = fc.constantFrom("Email", "email", "Phone", "External")

const created = fc.record({ UID: word, UIDType: type, IsPrimary: fc.boolean() }, { requiredKeys: ["UID"] })

const listOf = (items: ReadonlyArray<{ readonly UID: string }>): ReadonlyArray<Uid> =>
  items.reduce<ReadonlyArray<Uid>>(link, [])

/** As they come back from the database. */
const numbered = (uids: ReadonlyArray<Uid>): ReadonlyArray<Uid> =>
  uids.map((uid, index) => ({ ...uid, EndUserUIDID: EndUserUIDID.make(index + 1) }))

const change = fc.record(
  {
    EndUserUIDID: fc.integer({ min: 1, max: 7 }).map((id) => EndUserUIDID.make(id)),
    UID: word,
    UIDType: type,
    IsPrimary: fc.boolean(),
    MarkAsDeleted: fc.boolean()
  },
  { requiredKeys: ["UID"] }
)

const isSound = (uids: ReadonlyArray<Uid>) =>
  uids.every((uid, index) =>
    uids
      .slice(index + 1)
      .every(
        (other) =>
          !sameWord(other.UID, uid.UID) && !(other.IsPrimary && uid.IsPrimary && sameWord(other.UIDType, uid.UIDType))
      )
  )

describe("The UIDs of an end user", () => {
  it("contain no duplicate and at most one primary per type, however they are linked", () => {
    fc.assert(fc.property(fc.array(created), (items) => isSound(listOf(items))))
  })

  it("contain no duplicate and at most one primary per type after every accepted change", () => {
    fc.assert(
      fc.property(fc.array(created), fc.array(change), (items, changes) => {
        const { problems, uids } = changeUids(numbered(listOf(items)), changes)
        expect(problems.length > 0 || isSound(uids)).toBe(true)
      })
    )
  })

  it("stay as they are when no change mentions them", () => {
    fc.assert(
      fc.property(fc.array(created), (items) => {
        const stored = numbered(listOf(items))
        expect(changeUids(stored, []).uids).toEqual(stored)
        for (const { EndUserUIDID: id, UID } of stored) {
          const changes = [{ ...(id !== undefined && { EndUserUIDID: id }), UID, MarkAsDeleted: true }]
          expect(changeUids(stored, changes).uids).toEqual(stored.filter((uid) => uid.EndUserUIDID !== id))
        }
      })
    )
  })

  it("keep their spelling when they are linked again in another case", () => {
    const stored = numbered(listOf([{ UID: "Maria@mail.example" }]))
    expect(link(stored, { UID: "MARIA@mail.example" })).toEqual(stored)
  })

  it("are compared as the database compares them", () => {
    expect(sameWord("ΟΔΟΣ", "οδοσ")).toBe(true)
    expect(sameWord("ΟΔΟΣ", "οδος")).toBe(false)
    expect(sameWord("İzmir", "izmir")).toBe(true)
  })

  it("may swap their values, but not become equal", () => {
    const stored = numbered(listOf([{ UID: "a" }, { UID: "b" }]))
    const [first, second] = [EndUserUIDID.make(1), EndUserUIDID.make(2)]
    const swapped = changeUids(stored, [
      { EndUserUIDID: first, UID: "b" },
      { EndUserUIDID: second, UID: "a" }
    ])
    expect(swapped.problems).toEqual([])
    expect(swapped.uids.map(({ UID }) => UID)).toEqual(["b", "a"])
    expect(changeUids(stored, [{ EndUserUIDID: first, UID: "B" }]).problems).toEqual([
      { path: "UIDs", message: "must not contain b twice" }
    ])
  })
})
