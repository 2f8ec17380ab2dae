import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { mappingsOfPage } from "../../src/topics/PageMatch.ts"

const site = "https://acme.example"

const matched = (pages: ReadonlyArray<string>, page: string) =>
  mappingsOfPage(
    pages.map((pageUrl) => ({ pageUrl })),
    page
  ).map(({ pageUrl }) => pageUrl)

const segments = fc.array(fc.constantFrom("a", "b", "ab", "help"), { maxLength: 4 })
const addressOf = (path: ReadonlyArray<string>) => [site, ...path].join("/")

const startsWith = (path: ReadonlyArray<string>, start: ReadonlyArray<string>) =>
  start.every((segment, index) => segment === path[index])

describe("The mappings of a page", () => {
  it.each([
    [`${site}/help`, `${site}/help/keys`],
    [`${site}/help/`, `${site}/help`],
    [`${site}`, `${site}/anything?x=1`],
    [`HTTPS://ACME.example:443/help`, `${site}/help#top`],
    [`${site}/help?topic=1`, `${site}/help?topic=1&lang=en`],
    [`${site}/app#/billing`, `${site}/app#/billing/cards`]
  ])("%s is found from %s", (mapping, page) => {
    expect(matched([mapping], page)).toEqual([mapping])
  })

  it.each([
    [`${site}/help`, `${site}/helpdesk`],
    [`${site}/Help`, `${site}/help`],
    [`http://acme.example/help`, `${site}/help`],
    [`https://acme.example.evil/help`, `${site}/help`],
    [`${site}:8443/help`, `${site}/help`],
    [`${site}/help?topic=1`, `${site}/help?topic=12`],
    [`${site}/help?topic=1`, `${site}/help/keys?topic=1`],
    [`${site}/app#/billing`, `${site}/app`],
    [`${site}/help`, "no address"],
    [`${site}/help`, ""]
  ])("%s is not found from %s", (mapping, page) => {
    expect(matched([mapping], page)).toEqual([])
  })

  it("are all those with the longest matching prefix, in the order given", () => {
    const mappings = [
      { pageUrl: `${site}/help/keys`, topic: 1 },
      { pageUrl: `${site}/help`, topic: 2 },
      { pageUrl: `${site}/help/keys/`, topic: 3 },
      { pageUrl: `${site}/help/keys/lost/now`, topic: 4 }
    ]
    expect(mappingsOfPage(mappings, `${site}/help/keys/lost`).map(({ topic }) => topic)).toEqual([1, 3])
    expect(mappingsOfPage([], site)).toEqual([])
  })

  it("are exactly those with the longest prefix, for any site", () => {
    fc.assert(
      fc.property(fc.array(segments, { maxLength: 8 }), segments, (paths, page) => {
        const longest = Math.max(-1, ...paths.filter((path) => startsWith(page, path)).map((path) => path.length))
        const expected = paths.filter((path) => startsWith(page, path) && path.length === longest)
        expect(matched(paths.map(addressOf), addressOf(page))).toEqual(expected.map(addressOf))
      })
    )
  })

  it("never get shorter when the page is deeper", () => {
    fc.assert(
      fc.property(fc.array(segments, { maxLength: 8 }), segments, segments, (paths, page, deeper) => {
        const lengthOf = (path: ReadonlyArray<string>) => matched(paths.map(addressOf), addressOf(path))[0]?.length ?? 0
        expect(lengthOf([...page, ...deeper])).toBeGreaterThanOrEqual(lengthOf(page))
      })
    )
  })

  it("are found without an error for any text as the page's address", () => {
    fc.assert(
      fc.property(fc.string(), (page) => {
        expect(matched([site], page).length).toBeLessThanOrEqual(1)
      })
    )
  })
})
