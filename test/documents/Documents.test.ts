import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { numberIn } from "../support/Fields.ts"
import { attemptPhoneLogin, tokenIn } from "../support/Logins.ts"
import { client, clientOf, headerOf, login, sendJson, testApp } from "../support/TestApp.ts"

const orders = {
  name: "Orders",
  description: "Asks the shop",
  isDataRetrievalProcess: true,
  overrideApiBaseUrl: "https://shop.example/v1",
  overrideApiUsername: "reader",
  overrideApiAuthenticationType: "Basic",
  apiEndpoint: "/orders/{{number}}",
  apiMethod: "POST",
  apiHeaders: '{"X-Shop":"north"}',
  apiBodyTemplate: '{"q":"{{q}}"}'
} as const

layer(testApp(), { excludeTestServices: true })("Documents", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { documents } = yield* clientOf("acme-admin")
      const document = yield* documents.createDocument({ payload: orders })
      expect(document).toMatchObject({ ...orders, content: null, overrideApiPassword: null, overrideApiToken: null })
      const path = { id: document.documentID }
      const read = documents.getDocument({ path, urlParams: {} })
      expect(yield* read).toEqual(document)

      yield* documents.updateDocument({
        path,
        payload: { name: "Orders 2", isDataRetrievalProcess: true, apiMethod: null, content: "How to read an order" }
      })
      const changed = yield* read
      expect(changed).toMatchObject({
        ...orders,
        name: "Orders 2",
        apiMethod: null,
        content: "How to read an order",
        creationDate: document.creationDate
      })
      expect(DateTime.greaterThan(changed.lastModifiedDate, document.lastModifiedDate)).toBe(true)

      yield* documents.deleteDocument({ path })
      expect(yield* Effect.flip(read)).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(documents.deleteDocument({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(documents.updateDocument({ path, payload: orders }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(documents.retrieveDocument({ path, payload: {} }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("count their versions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { documents } = yield* clientOf("acme-admin")
      const payload = { name: "Versions", isDataRetrievalProcess: false }
      const { documentID } = yield* documents.createDocument({ payload })
      yield* documents.updateDocument({ path: { id: documentID }, payload })
      yield* documents.updateDocument({ path: { id: documentID }, payload })
      const rows =
        yield* sql`/* all customers: by hand */ select version from document where document_id = ${documentID}`
      expect(rows).toEqual([{ version: 3 }])
    })
  )

  it.effect("are returned with every field, spelled as in the interface", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-agent")
      const body = { NAME: "House rules", isdataretrievalprocess: false, Content: "Be kind", unknown: 1 }
      const created = yield* sendJson("POST", "/api/documents", { token, body })
      expect(created.status).toBe(200)
      expect(created.json).toEqual({
        documentID: expect.any(Number),
        customerID: expect.any(Number),
        name: "House rules",
        description: null,
        content: "Be kind",
        isDataRetrievalProcess: false,
        creationDate: expect.stringMatching(/^\d{4}-.*Z$/),
        lastModifiedDate: expect.stringMatching(/^\d{4}-.*Z$/),
        overrideApiBaseUrl: null,
        overrideApiUsername: null,
        overrideApiPassword: null,
        overrideApiToken: null,
        overrideApiAuthenticationType: null,
        apiEndpoint: null,
        apiMethod: null,
        apiHeaders: null,
        apiBodyTemplate: null
      })
      const path = `/api/Documents/${numberIn(created.json, "documentID")}`
      const changed = yield* sendJson("PUT", path, { token, body: { ...body, content: null } })
      expect([changed.status, changed.text]).toEqual([204, ""])
      expect((yield* sendJson("GET", path, { token })).json).toMatchObject({ content: null })
      const deleted = yield* sendJson("DELETE", path, { token })
      expect([deleted.status, deleted.text]).toEqual([204, ""])
    })
  )

  it.effect("are listed in pages of 20, which repeat the page number and size", () =>
    Effect.gen(function* () {
      const { documents } = yield* clientOf("initech-admin")
      for (let number = 0; number < 25; number++) {
        const name = `Listed ${String(number).padStart(2, "0")}`
        yield* documents.createDocument({ payload: { name, isDataRetrievalProcess: false, content: String(-number) } })
      }
      const first = yield* documents.listDocuments({ urlParams: {} })
      expect(first).toMatchObject({ pageNumber: 1, pageSize: 20 })
      expect(first.items).toHaveLength(20)
      expect(first.totalCount).toBeGreaterThanOrEqual(25)
      expect(Object.keys(first).sort()).toEqual(["items", "pageNumber", "pageSize", "totalCount"])
      const newest = yield* documents.listDocuments({
        urlParams: { pageNumber: 2, pageSize: 3, sortBy: "creationDate", sortOrder: "desc" }
      })
      expect(newest).toMatchObject({ pageNumber: 2, pageSize: 3, totalCount: first.totalCount })
      expect(newest.items.map(({ name }) => name)).toEqual(["Listed 21", "Listed 20", "Listed 19"])
      const token = yield* login("initech-admin")
      for (const sortBy of Object.keys(newest.items[0] ?? {})) {
        const { status } = yield* sendJson("GET", `/api/Documents?sortBy=${sortBy}&sortOrder=desc`, { token })
        expect([sortBy, status]).toEqual([sortBy, 200])
      }
    })
  )

  it.effect("look like missing ones to another customer", () =>
    Effect.gen(function* () {
      const acme = yield* clientOf("acme-admin")
      const globex = yield* clientOf("globex-admin")
      const own = yield* acme.documents.createDocument({ payload: orders })
      const path = { id: own.documentID }
      const before = yield* acme.documents.getDocument({ path, urlParams: {} })
      const refused = [
        globex.documents.getDocument({ path, urlParams: {} }),
        globex.documents.updateDocument({ path, payload: orders }),
        globex.documents.deleteDocument({ path }),
        globex.documents.retrieveDocument({ path, payload: {} })
      ]
      for (const attempt of refused) expect(yield* Effect.flip(attempt)).toMatchObject({ status: 404 })
      expect(yield* acme.documents.getDocument({ path, urlParams: {} })).toEqual(before)
      const { items } = yield* globex.documents.listDocuments({ urlParams: { pageSize: 200 } })
      expect(items.map(({ documentID }) => documentID)).not.toContain(own.documentID)
    })
  )

  it.effect("are read by phone calls, one at a time, and not changed by them", () =>
    Effect.gen(function* () {
      const acme = yield* clientOf("acme-admin")
      const { documentID } = yield* acme.documents.createDocument({ payload: { ...orders, overrideApiToken: "t0ken" } })
      const token = tokenIn(yield* attemptPhoneLogin())
      const { documents } = yield* client(token)
      const path = { id: documentID }
      expect(yield* documents.getDocument({ path, urlParams: {} })).toMatchObject({ overrideApiToken: "********" })
      const forbidden = [
        sendJson("GET", "/api/Documents", { token }),
        sendJson("POST", "/api/Documents", { token, body: orders }),
        sendJson("PUT", `/api/Documents/${documentID}`, { token, body: orders }),
        sendJson("DELETE", `/api/Documents/${documentID}`, { token }),
        sendJson("POST", `/api/Documents/${documentID}/retrieve`, { token, body: {} })
      ]
      for (const attempt of forbidden) expect((yield* attempt).status).toBe(403)
    })
  )

  it.effect("carry an ETag that guards a change", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { json } = yield* sendJson("POST", "/api/Documents", { token, body: orders })
      const path = `/api/Documents/${numberIn(json, "documentID")}`
      const etag = headerOf(yield* sendJson("GET", path, { token }), "etag")
      expect(etag).not.toBe("")
      const put = sendJson("PUT", path, { token, body: { ...orders, name: "New" }, headers: { "if-match": etag } })
      expect((yield* put).status).toBe(204)
      expect((yield* put).status).toBe(412)
    })
  )
})
