import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, testApp, tokenOf } from "../support/TestApp.ts"
import { newTopic, refusedPaths } from "./Mappings.ts"

const address = (path: string) => `https://acme.example/tests/${path}`

layer(testApp(), { excludeTestServices: true })("Page topic mappings", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { pageTopicMappings } = yield* clientOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const pageUrl = address("keys?lang=en#top")
      const mapping = yield* pageTopicMappings.createPageTopicMapping({ payload: { topicID, pageUrl } })
      expect(mapping).toMatchObject({ topicID, pageUrl, context: null })
      const path = { id: mapping.pageTopicMappingID }
      expect(yield* pageTopicMappings.getPageTopicMapping({ path })).toEqual(mapping)

      yield* pageTopicMappings.updatePageTopicMapping({ path, payload: { context: "about keys" } })
      expect(yield* pageTopicMappings.getPageTopicMapping({ path })).toEqual({ ...mapping, context: "about keys" })
      const other = yield* newTopic("acme-admin")
      const payload = { topicID: other.topicID, pageUrl: "HTTP://localhost:8080", context: null }
      yield* pageTopicMappings.updatePageTopicMapping({ path, payload })
      expect(yield* pageTopicMappings.getPageTopicMapping({ path })).toEqual({ ...mapping, ...payload })

      yield* pageTopicMappings.deletePageTopicMapping({ path })
      expect(yield* Effect.flip(pageTopicMappings.getPageTopicMapping({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(pageTopicMappings.deletePageTopicMapping({ path }))).toMatchObject({ status: 404 })
      const change = pageTopicMappings.updatePageTopicMapping({ path, payload })
      expect(yield* Effect.flip(change)).toMatchObject({ status: 404 })
    })
  )

  it.effect("accept only absolute web addresses, up to 2048 characters of any script", () =>
    Effect.gen(function* () {
      const { pageTopicMappings } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const tooLong = `https://acme.example/${"x".repeat(2028)}`
      const wrong = ["", "/help", "acme.example/help", "ftp://acme.example", "https://", "javascript:alert(1)", tooLong]
      for (const pageUrl of [...wrong, null, 5]) {
        const paths = yield* refusedPaths("POST", "/api/PageTopicMappings", token, { topicID, pageUrl })
        expect([pageUrl, paths]).toEqual([pageUrl, ["pageUrl"]])
      }
      expect(yield* refusedPaths("POST", "/api/PageTopicMappings", token, {})).toEqual(["topicID", "pageUrl"])
      const letters = Array.from({ length: 2000 }, (_, index) =>
        String.fromCodePoint(0x4e00 + ((index * 7919) % 20000))
      )
      const pageUrl = `https://acme.example/${letters.join("")}`
      const { pageTopicMappingID } = yield* pageTopicMappings.createPageTopicMapping({ payload: { topicID, pageUrl } })
      const again = pageTopicMappings.createPageTopicMapping({ payload: { topicID, pageUrl } })
      expect(yield* Effect.flip(again)).toMatchObject({ status: 409 })
      const path = `/api/PageTopicMappings/${pageTopicMappingID}`
      expect(yield* refusedPaths("PUT", path, token, { pageUrl: "help" })).toEqual(["pageUrl"])
      expect(yield* refusedPaths("PUT", path, token, { pageUrl: null })).toEqual(["pageUrl"])
    })
  )

  it.effect("are unique for a page and a topic", () =>
    Effect.gen(function* () {
      const { pageTopicMappings } = yield* clientOf("acme-admin")
      const [one, two] = [yield* newTopic("acme-admin"), yield* newTopic("acme-admin")]
      const pageUrl = address("once")
      const first = { topicID: one.topicID, pageUrl }
      yield* pageTopicMappings.createPageTopicMapping({ payload: first })
      const again = pageTopicMappings.createPageTopicMapping({ payload: { ...first, context: "again" } })
      expect(yield* Effect.flip(again)).toMatchObject({ status: 409 })
      const second = yield* pageTopicMappings.createPageTopicMapping({ payload: { topicID: two.topicID, pageUrl } })
      const path = { id: second.pageTopicMappingID }
      const collide = pageTopicMappings.updatePageTopicMapping({ path, payload: { topicID: one.topicID } })
      expect(yield* Effect.flip(collide)).toMatchObject({ status: 409 })
    })
  )

  it.effect("stay within the customer", () =>
    Effect.gen(function* () {
      const { pageTopicMappings } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const foreign = yield* newTopic("globex-admin")
      const { topicID } = yield* newTopic("acme-admin")
      const pageUrl = address("own")
      const body = { topicID: foreign.topicID, pageUrl }
      expect(yield* refusedPaths("POST", "/api/PageTopicMappings", token, body)).toEqual(["topicID"])
      expect((yield* pageTopicMappings.listPageTopicMappings({ urlParams: { pageUrl } })).totalCount).toBe(0)
      const mapping = yield* pageTopicMappings.createPageTopicMapping({ payload: { topicID, pageUrl } })
      const path = { id: mapping.pageTopicMappingID }
      const url = `/api/PageTopicMappings/${mapping.pageTopicMappingID}`
      expect(yield* refusedPaths("PUT", url, token, { topicID: foreign.topicID })).toEqual(["topicID"])
      const theirs = (yield* clientOf("globex-admin")).pageTopicMappings
      expect(yield* Effect.flip(theirs.getPageTopicMapping({ path }))).toMatchObject({ status: 404 })
      const change = theirs.updatePageTopicMapping({ path, payload: { context: "x" } })
      expect(yield* Effect.flip(change)).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(theirs.deletePageTopicMapping({ path }))).toMatchObject({ status: 404 })
      expect(yield* pageTopicMappings.getPageTopicMapping({ path })).toEqual(mapping)
    })
  )

  it.effect("are listed by page, filtered and sorted", () =>
    Effect.gen(function* () {
      const { pageTopicMappings } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const [one, two] = [yield* newTopic("acme-admin"), yield* newTopic("acme-admin")]
      const ids: Array<number> = []
      for (const payload of [
        { topicID: one.topicID, pageUrl: address("list/c"), context: "m" },
        { topicID: one.topicID, pageUrl: address("list/A"), context: "Z" },
        { topicID: two.topicID, pageUrl: address("list/b"), context: "a" }
      ]) {
        ids.push((yield* pageTopicMappings.createPageTopicMapping({ payload })).pageTopicMappingID)
      }
      type Query = Parameters<typeof pageTopicMappings.listPageTopicMappings>[0]["urlParams"]
      const orders: ReadonlyArray<readonly [Query, ReadonlyArray<number>]> = [
        [{}, [1, 2, 0]],
        [{ sortOrder: "desc" }, [0, 2, 1]],
        [{ sortBy: "pageTopicMappingID" }, [0, 1, 2]],
        [{ sortBy: "topicID", sortOrder: "desc" }, [2, 0, 1]],
        [{ sortBy: "context" }, [2, 0, 1]],
        [{ topicId: one.topicID }, [1, 0]],
        [{ pageUrl: address("list/b") }, [2]],
        [{ pageUrl: address("list/b"), topicId: one.topicID }, []],
        [{ pageUrl: address("list") }, []]
      ]
      for (const [urlParams, order] of orders) {
        const { items } = yield* pageTopicMappings.listPageTopicMappings({ urlParams: { pageSize: 200, ...urlParams } })
        const shown = items.map((row) => ids.indexOf(row.pageTopicMappingID)).filter((index) => index >= 0)
        expect([urlParams, shown]).toEqual([urlParams, order])
      }
      const page = yield* pageTopicMappings.listPageTopicMappings({ urlParams: { topicId: one.topicID, pageSize: 1 } })
      expect(page).toMatchObject({ items: [{ pageTopicMappingID: ids[1] }], totalCount: 2, totalPages: 2 })
      expect(yield* refusedPaths("GET", "/api/PageTopicMappings?topicId=no", token)).toEqual(["topicId"])
    })
  )
})
