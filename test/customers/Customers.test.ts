import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldsOf, listIn, textIn } from "../support/Fields.ts"
import { clientOf, headerOf, login, sendJson, testApp } from "../support/TestApp.ts"

const me = "/api/Customers/me"

const fields = [
  "customerID",
  "name",
  "apiBaseUrl",
  "apiUsername",
  "apiPassword",
  "apiToken",
  "apiAuthenticationType",
  "emailProviderType",
  "mailProviderTenantID",
  "mailProviderClientID",
  "mailProviderClientSecret",
  "mailProviderAuthorityURL",
  "mailProviderScope",
  "defaultTopicModelId",
  "defaultWebchatModelId",
  "defaultEmailTextModelId",
  "defaultEmailVisionModelId",
  "defaultCallModelId",
  "defaultSpamModelId",
  "defaultCustomerRepID",
  "telephonyAccountSID",
  "telephonyAuthToken",
  "aiProviderApiKey",
  "lastModifiedDate"
]

layer(testApp(), { excludeTestServices: true })("The customer", (it) => {
  it.effect("is read with every field, null where there is nothing", () =>
    Effect.gen(function* () {
      const { json, status } = yield* sendJson("GET", me, { token: yield* login("globex-admin") })
      expect(status).toBe(200)
      expect(Object.keys(fieldsOf(json))).toEqual(fields)
      expect(json).toMatchObject({ name: "Globex Support", apiBaseUrl: null, apiPassword: null })
    })
  )

  it.effect("changes only the fields that are present; null and an empty text clear them", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { customers } = yield* clientOf("acme-admin")
      const before = yield* customers.getCustomer()
      const first = yield* sendJson("PUT", me, {
        token,
        body: {
          APIBASEURL: "https://api.acme.example/v1",
          apiUsername: "casework",
          apiauthenticationtype: "bAsIc",
          emailProviderType: "microsoftgraph",
          mailProviderTenantID: "tenant",
          mailProviderAuthorityURL: "https://login.example/tenant",
          customerID: 4711,
          name: "Somebody else",
          surprise: true
        }
      })
      expect([first.status, first.text]).toEqual([204, ""])
      const changed = yield* customers.getCustomer()
      expect(changed).toEqual({
        ...before,
        lastModifiedDate: changed.lastModifiedDate,
        apiBaseUrl: "https://api.acme.example/v1",
        apiUsername: "casework",
        apiAuthenticationType: "Basic",
        emailProviderType: "MicrosoftGraph",
        mailProviderTenantID: "tenant",
        mailProviderAuthorityURL: "https://login.example/tenant"
      })
      yield* sendJson("PUT", me, {
        token,
        body: { apiUsername: null, emailProviderType: "", mailProviderAuthorityURL: "" }
      })
      const cleared = yield* customers.getCustomer()
      expect(cleared).toEqual({
        ...changed,
        lastModifiedDate: cleared.lastModifiedDate,
        apiUsername: null,
        emailProviderType: null,
        mailProviderAuthorityURL: null
      })
      expect((yield* sendJson("PUT", me, { token, body: {} })).status).toBe(204)
    })
  )

  it.effect("has another ETag when a masked secret was changed", () =>
    Effect.gen(function* () {
      const token = yield* login("initech-admin")
      yield* sendJson("PUT", me, { token, body: { apiToken: "one" } })
      const etag = headerOf(yield* sendJson("GET", me, { token }), "etag")
      yield* sendJson("PUT", me, { token, body: { apiToken: "two" } })
      const late = yield* sendJson("PUT", me, { token, body: { apiToken: "three" }, headers: { "if-match": etag } })
      expect(late.status).toBe(412)
    })
  )

  it.effect("names every field that is wrong, and changes nothing then", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const before = yield* sendJson("GET", me, { token })
      const { json, status } = yield* sendJson("PUT", me, {
        token,
        body: {
          apiUsername: "fine",
          apiBaseUrl: "/relative",
          mailProviderAuthorityURL: "ftp://login.example",
          apiAuthenticationType: "Digest",
          emailProviderType: "Gmail",
          defaultTopicModelId: 0,
          apiToken: 5,
          mailProviderScope: "x".repeat(2000)
        }
      })
      expect(status).toBe(400)
      expect(json).toMatchObject({ status: 400, error: "Bad Request" })
      expect(
        listIn(json, "details")
          .map((detail) => textIn(detail, "path"))
          .sort()
      ).toEqual([
        "apiAuthenticationType",
        "apiBaseUrl",
        "apiToken",
        "defaultTopicModelId",
        "emailProviderType",
        "mailProviderAuthorityURL",
        "mailProviderScope"
      ])
      for (const unsendable of [
        { apiToken: "ключ" },
        { apiToken: "tok\n" },
        { aiProviderApiKey: "a b" },
        { apiUsername: "a:b" }
      ]) {
        expect((yield* sendJson("PUT", me, { token, body: unsendable })).status, JSON.stringify(unsendable)).toBe(400)
      }
      for (const url of ["javascript:alert(1)", "https://", "https://user:pass@api.example", "api.example"]) {
        expect((yield* sendJson("PUT", me, { token, body: { apiBaseUrl: url } })).status, url).toBe(400)
      }
      expect((yield* sendJson("GET", me, { token })).text).toBe(before.text)
    })
  )

  it.effect("can be read by an Agent, changed and asked for secrets only by an Admin", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-agent")
      expect((yield* sendJson("GET", me, { token })).status).toBe(200)
      expect((yield* sendJson("GET", "/api/Customers/models", { token })).status).toBe(200)
      expect((yield* sendJson("PUT", me, { token, body: { apiUsername: "agent" } })).status).toBe(403)
      expect((yield* sendJson("GET", "/api/Customers/my-secrets", { token })).status).toBe(403)
      expect((yield* sendJson("PUT", me, { body: { apiUsername: "nobody" } })).status).toBe(401)
      const { customers } = yield* clientOf("acme-agent")
      expect((yield* customers.getCustomer()).apiUsername).not.toBe("agent")
    })
  )

  it.effect("is the caller's own", () =>
    Effect.gen(function* () {
      const globex = yield* login("globex-admin")
      const before = yield* sendJson("GET", me, { token: globex })
      const body = { apiUsername: "initech-only" }
      expect((yield* sendJson("PUT", me, { token: yield* login("initech-admin"), body })).status).toBe(204)
      expect((yield* sendJson("GET", me, { token: globex })).text).toBe(before.text)
    })
  )

  it.effect("refuses a telephony account of another organisation", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { telephonyAccountSID: "ACdemo0000globex", apiUsername: "not kept" }
      expect(yield* sendJson("PUT", me, { token, body })).toMatchObject({ status: 409, json: { error: "Conflict" } })
      const { customers } = yield* clientOf("acme-admin")
      expect(yield* customers.getCustomer()).toMatchObject({ telephonyAccountSID: "ACdemo0000acme" })
      const own = { telephonyAccountSID: "ACdemo0000acme" }
      expect((yield* sendJson("PUT", me, { token, body: own })).status).toBe(204)
      for (const username of ["acme-admin", "initech-admin"]) {
        const cleared = yield* sendJson("PUT", me, {
          token: yield* login(username),
          body: { telephonyAccountSID: "" }
        })
        expect(cleared.status).toBe(204)
      }
    })
  )

  it.effect("carries an ETag that guards a change", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const etag = headerOf(yield* sendJson("GET", me, { token }), "etag")
      expect(etag).toMatch(/^".+"$/)
      expect((yield* sendJson("GET", me, { token, headers: { "if-none-match": etag } })).status).toBe(304)
      const put = (apiUsername: string) =>
        sendJson("PUT", me, { token, body: { apiUsername }, headers: { "if-match": etag } })
      expect((yield* put("first")).status).toBe(204)
      expect((yield* put("second")).status).toBe(412)
      const { customers } = yield* clientOf("acme-admin")
      expect((yield* customers.getCustomer()).apiUsername).toBe("first")
    })
  )
})
