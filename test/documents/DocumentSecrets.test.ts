import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { secretPlace } from "../../src/documents/DocumentColumns.ts"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { numberIn } from "../support/Fields.ts"
import { clientOf, login, sendJson, testApp } from "../support/TestApp.ts"

const retrieval = { name: "Orders", isDataRetrievalProcess: true, apiEndpoint: "https://shop.example/orders" }

/** What the database holds, encrypted and in clear. */
const storedSecrets = (documentID: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const [row] = yield* sql<{ customerID: number; password: string | null; token: string | null }>`
      /* all customers: by hand */
      select customer_id as "customerID", override_api_password as password, override_api_token as token
      from document where document_id = ${documentID}`
    const { customerID, password, token } = yield* Effect.fromNullable(row)
    const open = (field: "overrideApiPassword" | "overrideApiToken", stored: string | null) =>
      stored === null ? Effect.succeed(null) : secrets.decrypt(secretPlace(customerID, field), stored)
    return {
      encrypted: `${password} ${token}`,
      password: yield* open("overrideApiPassword", password),
      token: yield* open("overrideApiToken", token)
    }
  })

layer(testApp(), { excludeTestServices: true })("Document secrets", (it) => {
  it.effect("are encrypted at rest and masked in every answer", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { ...retrieval, overrideApiPassword: "pass-word-1", overrideApiToken: "token-1" }
      const created = yield* sendJson("POST", "/api/Documents", { token, body })
      const documentID = numberIn(created.json, "documentID")
      const read = yield* sendJson("GET", `/api/Documents/${documentID}`, { token })
      const list = yield* sendJson("GET", "/api/Documents?pageSize=200", { token })
      for (const { json } of [created, read]) {
        expect(json).toMatchObject({ overrideApiPassword: "********", overrideApiToken: "********" })
      }
      for (const { text } of [created, read, list]) expect(text).not.toMatch(/pass-word-1|token-1/)
      const stored = yield* storedSecrets(documentID)
      expect(stored).toMatchObject({ password: "pass-word-1", token: "token-1" })
      expect(stored.encrypted).not.toMatch(/pass-word-1|token-1/)
    })
  )

  it.effect("stay when the mask is written back or nothing is written", () =>
    Effect.gen(function* () {
      const { documents } = yield* clientOf("acme-admin")
      const { documentID } = yield* documents.createDocument({
        payload: { ...retrieval, overrideApiPassword: "pass-word-1", overrideApiToken: "token-1" }
      })
      const token = yield* login("acme-admin")
      const path = `/api/Documents/${documentID}`
      const { json } = yield* sendJson("GET", path, { token })
      expect((yield* sendJson("PUT", path, { token, body: json })).status).toBe(204)
      expect((yield* sendJson("PUT", path, { token, body: retrieval })).status).toBe(204)
      expect(yield* storedSecrets(documentID)).toMatchObject({ password: "pass-word-1", token: "token-1" })
      const change = { ...retrieval, overrideApiPassword: "pass-word-2", overrideApiToken: null }
      expect((yield* sendJson("PUT", path, { token, body: change })).status).toBe(204)
      expect(yield* storedSecrets(documentID)).toMatchObject({ password: "pass-word-2", token: null })
      expect((yield* sendJson("GET", path, { token })).json).toMatchObject({
        overrideApiPassword: "********",
        overrideApiToken: null
      })
    })
  )

  it.effect("are null when a new document is created with the mask for them", () =>
    Effect.gen(function* () {
      const { documents } = yield* clientOf("acme-admin")
      const document = yield* documents.createDocument({
        payload: { ...retrieval, overrideApiPassword: "********", overrideApiToken: "" }
      })
      expect(document).toMatchObject({ overrideApiPassword: null, overrideApiToken: null })
    })
  )
})
