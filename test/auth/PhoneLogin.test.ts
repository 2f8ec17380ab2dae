import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, Clock, Effect } from "effect"
import { decodeJwt } from "jose"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { textIn } from "../support/Fields.ts"
import { attemptPhoneLogin, freshAddress, statusWith, tokenIn } from "../support/Logins.ts"
import { clientOf, sendJson, testApp } from "../support/TestApp.ts"

layer(testApp(), { excludeTestServices: true })("Phone login", (it) => {
  it.effect("returns a token with the claims of a call, all of them strings", () =>
    Effect.gen(function* () {
      const answer = yield* attemptPhoneLogin()
      expect(answer.status).toBe(200)
      const { aud, exp, iat, iss, ...claims } = decodeJwt(tokenIn(answer))
      expect(claims).toEqual({
        PhoneAuth: "true",
        CustomerID: expect.stringMatching(/^[0-9]+$/),
        ChannelID: expect.stringMatching(/^[0-9]+$/),
        PhoneNumber: "+15550100",
        sub: "+15550100",
        jti: expect.any(String)
      })
      expect((yield* Effect.fromNullable(exp)) - (yield* Effect.fromNullable(iat))).toBe(12 * 60 * 60)
    })
  )

  it.effect("opens only the routes that allow phone calls", () =>
    Effect.gen(function* () {
      const token = tokenIn(yield* attemptPhoneLogin())
      expect(yield* sendJson("GET", "/api/Actions", { token })).toMatchObject({ status: 403, json: { status: 403 } })
      expect(yield* statusWith("garbage")).toBe(401)
    })
  )

  it.effect("ends within 5 seconds on every node when its channel is deleted", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      const { channelID } = yield* channels.createChannel({
        payload: { channelType: "Phone", name: "For a while", phoneNumber: "+15550177", isActive: true }
      })
      const token = tokenIn(yield* attemptPhoneLogin({ phoneNumber: "+15550177" }))
      const other = tokenIn(yield* attemptPhoneLogin())
      const ask = (by: string) =>
        Effect.map(
          sendJson("GET", `/api/hookactions/wait-seconds?hookName=OnPhonePickup`, { token: by }),
          ({ status }) => status
        )
      yield* onAnotherNode()(
        Effect.gen(function* () {
          expect([yield* ask(token), yield* ask(other)]).toEqual([200, 200])
          yield* channels.deleteChannel({ path: { id: channelID } })
          const deleted = yield* Clock.currentTimeMillis
          const last = yield* eventually(
            Effect.all([Clock.currentTimeMillis, ask(token)]),
            ([sent, status]) => status === 401 || sent - deleted > 5000
          )
          expect(last[1]).toBe(401)
          expect(yield* ask(other)).toBe(200)
        })
      )
    })
  )

  it.effect("refuses an account or number that is not the customer's, in the same words", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`/* all customers: by hand */ update channel set deleted_at = now() where phone_number = '+15550120'`
      yield* sql`update customer set telephony_account_sid = '' where name = 'Initech Surveys'`
      yield* sql`/* all customers: by hand */ update channel set channel_type = 'WhatsApp' where phone_number = '+15550110'`
      const refusals = yield* Effect.all([
        attemptPhoneLogin({ accountSid: "ACnobody" }),
        attemptPhoneLogin({ accountSid: "acdemo0000acme" }),
        attemptPhoneLogin({ phoneNumber: "+15550999" }),
        attemptPhoneLogin({ phoneNumber: "+15550120" }),
        attemptPhoneLogin({ accountSid: "ACdemo0000initech", phoneNumber: "+15550120" }),
        attemptPhoneLogin({ accountSid: "ACdemo0000globex", phoneNumber: "+15550110" }),
        attemptPhoneLogin({ accountSid: "", phoneNumber: "+15550120" })
      ])
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({ status: 401, json: { status: 401, error: "Unauthorized" } })
        expect(textIn(refusal.json, "message")).toBe(textIn(refusals[0].json, "message"))
      }
    })
  )

  it.effect("refuses an empty account, even if a customer has one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update customer set telephony_account_sid = '' where name = 'Globex Support'`.pipe(Effect.ignore)
      yield* sql`/* all customers: by hand */ update channel set channel_type = 'Phone', deleted_at = null
        where phone_number in ('+15550110', '+15550120')`
      expect((yield* attemptPhoneLogin({ accountSid: "", phoneNumber: "+15550120" })).status).toBe(401)
      expect((yield* attemptPhoneLogin({ accountSid: "", phoneNumber: "+15550110" })).status).toBe(401)
    })
  )

  it.effect("says everything that is wrong with the body", () =>
    Effect.gen(function* () {
      const answer = yield* sendJson("POST", "/api/Auth/phone-login", { body: { phoneNumber: 1 } })
      expect(answer).toMatchObject({
        status: 400,
        json: { details: [{ path: "phoneNumber" }, { path: "accountSid" }] }
      })
    })
  )

  it.effect("is throttled by number and by address", () =>
    Effect.gen(function* () {
      for (const _ of Array.range(1, 10)) yield* attemptPhoneLogin({ accountSid: "ACnobody" })
      const refused = yield* attemptPhoneLogin()
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      const address = freshAddress()
      for (const number of Array.range(1, 10)) yield* attemptPhoneLogin({ phoneNumber: `+1555${number}` }, address)
      expect((yield* attemptPhoneLogin({ phoneNumber: "+1555" }, address)).status).toBe(429)
    })
  )
})
