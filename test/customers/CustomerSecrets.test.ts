import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mask } from "../../src/platform/secrets/Masking.ts"
import { clientOf, login, sendJson, testApp } from "../support/TestApp.ts"

const columns = {
  apiPassword: "api_password",
  apiToken: "api_token",
  mailProviderClientSecret: "mail_provider_client_secret",
  telephonyAuthToken: "telephony_auth_token",
  aiProviderApiKey: "ai_provider_api_key"
}

const plain = {
  apiPassword: "plain-api-password",
  apiToken: "plain-api-token",
  mailProviderClientSecret: "plain-client-secret",
  telephonyAuthToken: "plain-telephony-token",
  aiProviderApiKey: "plain-ai-key"
}

const storedSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Readonly<Record<string, string | null>>>`
    select ${sql.csv(Object.values(columns))} from customer where name = 'Acme Rentals'`
  return row ?? {}
})

const put = (body: unknown) =>
  Effect.flatMap(login("acme-admin"), (token) => sendJson("PUT", "/api/Customers/me", { token, body }))

layer(testApp(), { excludeTestServices: true })("The customer's secrets", (it) => {
  it.effect("are masked in answers and encrypted in the database", () =>
    Effect.gen(function* () {
      expect((yield* put(plain)).status).toBe(204)
      const { text } = yield* sendJson("GET", "/api/Customers/me", { token: yield* login("acme-admin") })
      for (const secret of Object.values(plain)) expect(text).not.toContain(secret)
      const { customers } = yield* clientOf("acme-admin")
      const customer = yield* customers.getCustomer()
      for (const field of Object.keys(columns)) expect(customer).toHaveProperty(field, mask)
      const stored = yield* storedSecrets
      for (const column of Object.values(columns)) expect(stored[column]).toMatch(/^[0-9a-f]{8}\.[\w-]+\.[\w-]+$/)
      for (const secret of Object.values(plain)) expect(JSON.stringify(stored)).not.toContain(secret)
    })
  )

  it.effect("stay unchanged when what was read is written back", () =>
    Effect.gen(function* () {
      yield* put(plain)
      const before = yield* storedSecrets
      const { json } = yield* sendJson("GET", "/api/Customers/me", { token: yield* login("acme-admin") })
      expect((yield* put(json)).status).toBe(204)
      expect(yield* storedSecrets).toEqual(before)
      yield* put({ apiUsername: "casework" })
      expect(yield* storedSecrets).toEqual(before)
    })
  )

  it.effect("are replaced one by one and cleared by null", () =>
    Effect.gen(function* () {
      yield* put(plain)
      const before = yield* storedSecrets
      yield* put({ apiPassword: "another", apiToken: null, mailProviderClientSecret: "" })
      const after = yield* storedSecrets
      expect(after["api_password"]).not.toBe(before["api_password"])
      expect(after).toMatchObject({ api_token: null, mail_provider_client_secret: null })
      expect(after["ai_provider_api_key"]).toBe(before["ai_provider_api_key"])
      const { customers } = yield* clientOf("acme-admin")
      expect(yield* customers.getCustomer()).toMatchObject({
        apiPassword: mask,
        apiToken: null,
        mailProviderClientSecret: null
      })
    })
  )

  it.effect("are shown in clear to an Admin, and the audit log records it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const token = yield* login("acme-admin")
      yield* put({ ...plain, telephonyAccountSID: "AC-acme" })
      const { json, status } = yield* sendJson("GET", "/api/Customers/my-secrets", {
        token,
        headers: { "x-request-id": "who-read-it" }
      })
      expect(status).toBe(200)
      expect(json).toEqual({
        aiProviderApiKey: plain.aiProviderApiKey,
        telephonyAccountSID: "AC-acme",
        telephonyAuthToken: plain.telephonyAuthToken
      })
      const rows = yield* sql`
        /* all customers: the request says which one */
        select r.username, a.event from audit_log a join customer_rep r on r.customer_rep_id = a.customer_rep_id
        where a.request_id = 'who-read-it'`
      expect(rows).toEqual([{ username: "acme-admin", event: "SecretsRead" }])
    })
  )

  it.effect("are null where none is set", () =>
    Effect.gen(function* () {
      const { customers } = yield* clientOf("globex-admin")
      expect(yield* customers.getSecrets()).toEqual({
        aiProviderApiKey: null,
        telephonyAccountSID: "ACdemo0000globex",
        telephonyAuthToken: null
      })
    })
  )
})
