import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { endpoints } from "../support/Endpoints.ts"
import { eventually } from "../support/Eventually.ts"
import { numberIn } from "../support/Fields.ts"
import { login, sendJson, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { type Behaviour, UpstreamServer } from "../support/UpstreamServer.ts"
import { type Canary, canaries, eavesdropper, secretsIn } from "./Canaries.ts"
import { makeProbes } from "./Probes.ts"

const ears = eavesdropper()

const node = Layer.unwrapEffect(
  Effect.map(UpstreamServer, ({ port, url }) =>
    testNode(
      TestDatabase,
      {
        JWT_SECRET: canaries.jwtSecret,
        SECRETS_KEY: canaries.secretsKey,
        PLATFORM_KEY: canaries.platformKey,
        AI_PROVIDER: "openai",
        OPENAI_BASE_URL: `${url}/v1`,
        GRAPH_BASE_URL: `${url}/graph`,
        TELEPHONY_BASE_URL: `${url}/telephony`,
        OUTBOUND_ALLOW: `127.0.0.1:${port}`
      },
      ears.layer
    )
  )
).pipe(Layer.provideMerge(UpstreamServer.layer))

/** Refuses, and repeats in the error what it was given, as some providers do. */
const blurting: Behaviour = ({ body, headers }, response) => {
  const told = `Wrong: ${headers.authorization} ${body}`
  response
    .writeHead(401, { "content-type": "application/json" })
    .end(JSON.stringify({ error: { message: told }, error_description: told, message: told }))
}

/** The secrets that a call to each address may carry. */
const meantFor: ReadonlyArray<readonly [path: RegExp, secrets: ReadonlyArray<Canary>]> = [
  [/^\/v1\/chat\/completions$/, ["aiProviderApiKey"]],
  [/oauth2\/v2\.0\/token$/, ["mailProviderClientSecret", "overrideMailProviderClientSecret"]],
  [/^\/telephony\//, ["telephonyAuthToken"]],
  [/^\/own$/, ["apiPassword", "apiToken"]],
  [/^\/overridden$/, ["overrideApiPassword", "overrideApiToken"]]
]

/** The one response that shows secrets, to an Admin, as the contract requires. */
const showsSecrets: Readonly<Record<string, ReadonlyArray<Canary>>> = {
  "customers.getSecrets": ["aiProviderApiKey", "telephonyAuthToken"]
}

const everyRow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`
  return yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{
        row: string
      }>`/* all customers: the test looks everywhere */ select to_jsonb(t)::text as row from ${sql(name)} t`,
      (rows) => rows.map(({ row }) => `${name} ${row}`)
    )
  ).pipe(Effect.map((all) => all.flat()))
})

const plant = Effect.gen(function* () {
  const upstream = yield* UpstreamServer
  for (const path of ["/v1/chat/completions", "/own", "/overridden", "/tenant/oauth2/v2.0/token"]) {
    yield* upstream.on(path, blurting)
  }
  yield* upstream.on("/telephony/2010-04-01/Accounts/ACdemo0000acme/Messages.json", blurting)
  const token = yield* login("acme-admin")
  const post = (path: string, body: unknown, method = "POST") =>
    Effect.map(sendJson(method, path, { token, body, headers: { "idempotency-key": path } }), (answer) => {
      expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300)
      return answer.json
    })
  yield* post(
    "/api/Customers/me",
    {
      apiBaseUrl: upstream.url,
      apiUsername: "casework",
      apiPassword: canaries.apiPassword,
      apiToken: canaries.apiToken,
      apiAuthenticationType: "Basic",
      mailProviderTenantID: "tenant",
      mailProviderClientID: "client",
      mailProviderClientSecret: canaries.mailProviderClientSecret,
      mailProviderAuthorityURL: upstream.url,
      telephonyAuthToken: canaries.telephonyAuthToken,
      aiProviderApiKey: canaries.aiProviderApiKey
    },
    "PUT"
  )
  const retrieval = { isDataRetrievalProcess: true, apiMethod: "POST", apiBodyTemplate: "{{Message.text}}" }
  const own = yield* post("/api/Documents", { ...retrieval, name: "Own", apiEndpoint: "/own" })
  const overridden = yield* post("/api/Documents/", {
    ...retrieval,
    name: "Overridden",
    apiEndpoint: "/overridden",
    overrideApiBaseUrl: upstream.url,
    overrideApiUsername: "casework",
    overrideApiPassword: canaries.overrideApiPassword,
    overrideApiToken: canaries.overrideApiToken,
    overrideApiAuthenticationType: "Bearer"
  })
  for (const document of [own, overridden]) {
    const documentID = numberIn(document, "documentID")
    yield* sendJson("POST", `/api/Documents/${documentID}/retrieve`, { token, body: {} })
    const action = yield* post(`/api/Actions?${documentID}`, {
      name: `Call ${documentID}`,
      priority: 1,
      isActive: true,
      operation: "CallApi",
      parameters: { documentID, field: "answer" }
    })
    yield* post(`/api/hookactions?${documentID}`, {
      hookName: "OnMessageReceived",
      actionID: numberIn(action, "actionID"),
      priority: 1
    })
  }
  const channel = yield* post("/api/Channels", {
    channelType: "Email",
    name: "With its own provider",
    isActive: true,
    emailAddress: "canary@acme.example",
    overrideMailProviderTenantID: "tenant",
    overrideMailProviderClientID: "client",
    overrideMailProviderClientSecret: canaries.overrideMailProviderClientSecret,
    overrideMailProviderAuthorityURL: upstream.url
  })
  yield* sendJson("POST", `/api/MailWebhook/subscribe/${numberIn(channel, "channelID")}`, { token })
  yield* post("/customerReps", {
    username: "canary",
    password: canaries.repPassword,
    name: "Canary",
    email: "canary@acme.example"
  })
  const theirs = yield* login("canary", canaries.repPassword)
  yield* sendJson("POST", "/api/Auth/login", {
    body: { username: "canary", password: canaries.newPassword, hostname: "localhost" }
  })
  yield* sendJson("POST", "/api/Auth/impersonate-by-customer", {
    headers: { "x-platform-key": canaries.platformKey },
    body: { customerID: 1 }
  })
  yield* sendJson("POST", "/api/Auth/request-password-reset", { body: { email: "canary@acme.example" } })
  const { next } = yield* TestMailer
  const resetToken = yield* Effect.fromNullable(/token=(\S+)/.exec((yield* next).text)?.[1])
  return { token, theirs, resetToken }
})

const isDone = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`/* all customers: the test waits for all */
    select 1 from job where status = 'Running' or (status = 'Queued' and attempts = 0 and due_at <= now())`
  return rows.length === 0
})

layer(node, { excludeTestServices: true })("A secret", (it) => {
  it.effect("appears in no log, span, error, response, call or column but where it belongs", () =>
    Effect.gen(function* () {
      const credentials = yield* plant
      const { ask } = yield* makeProbes
      const secrets: Readonly<Record<string, string>> = { ...canaries, ...credentials }
      const leaks: Array<string> = []
      const look = (where: string, text: string, mayHave: ReadonlyArray<string> = []) => {
        const found = secretsIn(text, secrets).filter((name) => !mayHave.includes(name))
        if (found.length > 0) leaks.push(`${where} has ${found.join(", ")}: ${text.slice(0, 300)}`)
      }
      const lookAtRows = Effect.map(everyRow, (rows) => {
        for (const row of rows) look("The database", row)
      })
      const order = ["POST", "GET", "PUT", "DELETE"]
      const inOrder = [...endpoints].sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
      for (const endpoint of inOrder) {
        if (endpoint.method === "PUT" && leaks.length === 0) yield* lookAtRows
        const { text } = yield* ask(endpoint)
        look(`The answer of ${endpoint.id}`, text, showsSecrets[endpoint.id])
      }
      yield* eventually(isDone, (done) => done, "4 minutes")
      yield* lookAtRows
      for (const line of ears.heard()) look("The log or a span", line)
      const calls = yield* Effect.flatMap(UpstreamServer, ({ requests }) => requests)
      for (const { body, headers, url } of calls) {
        const mayHave = meantFor.find(([path]) => path.test(url.split("?")[0] ?? ""))?.[1] ?? []
        look(`A call of ${url}`, `${url} ${JSON.stringify(headers)} ${body}`, mayHave)
      }
      expect([...new Set(leaks)].slice(0, 10)).toEqual([])
      // Secrets that were never used would prove nothing.
      const used = calls.flatMap(({ body, headers }) => secretsIn(`${JSON.stringify(headers)} ${body}`, secrets))
      for (const name of ["aiProviderApiKey", "apiPassword", "overrideApiToken", "overrideMailProviderClientSecret"]) {
        expect(used).toContain(name)
      }
      expect(ears.heard().length).toBeGreaterThan(endpoints.length)
    })
  )
})
