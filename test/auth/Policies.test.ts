import { createServer } from "node:http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import {
  AdminAccess,
  CurrentCaller,
  CurrentRep,
  PhoneContext,
  ReportAccess,
  TicketAccess
} from "../../schema/Authentication.ts"
import { PoliciesLive } from "../../src/auth/Policies.ts"
import { attemptLogin, attemptPhoneLogin, tokenIn } from "../support/Logins.ts"
import { sendJson, testApp } from "../support/TestApp.ts"

const Who = Schema.Struct({ who: Schema.String, customerID: Schema.Number })

class Doors extends HttpApi.make("doors").add(
  HttpApiGroup.make("doors")
    .add(HttpApiEndpoint.get("ticket", "/ticket").addSuccess(Who).middleware(TicketAccess))
    .add(HttpApiEndpoint.get("phone", "/phone").addSuccess(Who).middleware(PhoneContext))
    .add(HttpApiEndpoint.get("admin", "/admin").addSuccess(Who).middleware(AdminAccess))
    .add(HttpApiEndpoint.get("report", "/report").addSuccess(Who).middleware(ReportAccess))
) {}

const rep = Effect.map(CurrentRep, ({ customerID, username }) => ({ who: username, customerID }))

const caller = Effect.map(CurrentCaller, (found) => ({
  who: found._tag === "Representative" ? found.username : `${found.phoneNumber} on ${found.channelID}`,
  customerID: found.customerID
}))

const DoorsHttp = HttpApiBuilder.group(Doors, "doors", (handlers) =>
  handlers
    .handle("ticket", () => rep)
    .handle("phone", () => caller)
    .handle("admin", () => rep)
    .handle("report", () => rep)
)

/** One route for each policy, guarded by the service's own policies. */
const DoorsServer = HttpApiBuilder.serve().pipe(
  Layer.provide(HttpApiBuilder.api(Doors).pipe(Layer.provide(DoorsHttp), Layer.provide(PoliciesLive))),
  Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" }))
)

const doors = ["ticket", "phone", "admin", "report"] as const

const statuses = (token?: string) =>
  Effect.forEach(doors, (door) =>
    Effect.map(sendJson("GET", `/${door}`, token === undefined ? {} : { token }), ({ status }) => status)
  )

layer(testApp(), { excludeTestServices: true })("Policies", (it) => {
  it.effect("let in exactly the callers that they name", () =>
    Effect.gen(function* () {
      const admin = tokenIn(yield* attemptLogin({ username: "acme-admin" }))
      const agent = tokenIn(yield* attemptLogin({ username: "acme-agent" }))
      const withoutReports = tokenIn(yield* attemptLogin({ username: "globex-admin" }))
      const phone = tokenIn(yield* attemptPhoneLogin())
      yield* Effect.gen(function* () {
        expect(yield* statuses(admin)).toEqual([200, 200, 200, 200])
        expect(yield* statuses(agent)).toEqual([200, 200, 403, 200])
        expect(yield* statuses(withoutReports)).toEqual([200, 200, 200, 403])
        expect(yield* statuses(phone)).toEqual([403, 200, 403, 403])
        expect(yield* statuses()).toEqual([401, 401, 401, 401])
        expect(yield* statuses("garbage")).toEqual([401, 401, 401, 401])
      }).pipe(Effect.provide(DoorsServer))
    })
  )

  it.effect("tell the handler who the caller is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [channel] = yield* sql<{ customerID: number; channelID: number }>`
        /* all customers: by hand */ select customer_id as "customerID", channel_id as "channelID" from channel
        where phone_number = '+15550100'`
      const agent = tokenIn(yield* attemptLogin({ username: "acme-agent" }))
      const phone = tokenIn(yield* attemptPhoneLogin())
      yield* Effect.gen(function* () {
        const customerID = channel?.customerID
        expect((yield* sendJson("GET", "/ticket", { token: agent })).json).toEqual({ who: "acme-agent", customerID })
        expect((yield* sendJson("GET", "/phone", { token: agent })).json).toEqual({ who: "acme-agent", customerID })
        expect((yield* sendJson("GET", "/phone", { token: phone })).json).toEqual({
          who: `+15550100 on ${channel?.channelID}`,
          customerID
        })
      }).pipe(Effect.provide(DoorsServer))
    })
  )

  it.effect("notice at once when a feature is taken away", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const token = tokenIn(yield* attemptLogin({ username: "initech-admin" }))
      yield* Effect.gen(function* () {
        const report = Effect.map(sendJson("GET", "/report", { token }), ({ status }) => status)
        expect(yield* report).toBe(200)
        const taken = yield* sql<{ customer_id: number }>`/* all customers: by hand */
          delete from customer_feature f using customer c
          where c.customer_id = f.customer_id and c.name = 'Initech Surveys' returning f.customer_id`
        expect(taken).toHaveLength(1)
        expect(yield* report).toBe(403)
      }).pipe(Effect.provide(DoorsServer))
    })
  )
})
