import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { attemptPhoneLogin, tokenIn } from "../support/Logins.ts"
import { clientOf, login, sendJson, testApp } from "../support/TestApp.ts"
import { expectError } from "./ErrorBody.ts"
import { holdActions } from "./HeldTable.ts"

const action = (name: string, priority = 1) => ({ name, priority, isActive: true })

const create = (token: string, key: string, body: unknown, path = "/api/Actions") =>
  sendJson("POST", path, { token, headers: { "idempotency-key": key }, body })

const countOf = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ count: number }>`
      select /* all customers: counts everybody's */ count(*)::int as count from action where name = ${name}`
    return rows[0]?.count
  })

layer(testApp(), { excludeTestServices: true })("An Idempotency-Key", (it) => {
  it.effect("replays the first successful response", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const first = yield* create(token, "replay", action("Replayed"))
      expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([201, null])
      for (const path of ["/api/Actions", "/API/actions/", "//api/Actions"]) {
        const again = yield* create(token, "replay", action("Replayed"), path)
        expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"])
        expect([again.text, again.headers.get("location")]).toEqual([first.text, first.headers.get("location")])
        expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"))
      }
      expect(yield* countOf("Replayed")).toBe(1)
      const colleague = yield* create(yield* login("acme-admin"), "replay", action("Replayed"))
      expect(colleague.headers.get("idempotency-replayed")).toBe("true")
    })
  )

  it.effect("is separate for each phone channel", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      yield* channels.createChannel({
        payload: { channelType: "Phone", name: "Second line", phoneNumber: "+15550178", isActive: true }
      })
      const said = { message: "Hello", uid: "+491701" }
      const first = tokenIn(yield* attemptPhoneLogin())
      const second = tokenIn(yield* attemptPhoneLogin({ phoneNumber: "+15550178" }))
      const call = (token: string) => create(token, "call-1", said, "/ticketMessages/create-new")
      expect((yield* call(first)).status).toBe(200)
      expect((yield* call(second)).status).toBe(422)
      expect((yield* call(first)).headers.get("idempotency-replayed")).toBe("true")
    })
  )

  it.effect("is refused with another body or query", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      expect((yield* create(token, "body", action("Body one"))).status).toBe(201)
      expectError(yield* create(token, "body", action("Body two")), 422, /Use a new key/)
      expectError(yield* create(token, "body", action("Body one"), "/api/Actions?a=b"), 422, /Use a new key/)
      expect(yield* countOf("Body two")).toBe(0)
    })
  )

  it.effect("is not replayed to another role", () =>
    Effect.gen(function* () {
      expect((yield* create(yield* login("acme-admin"), "role", action("Of an admin"))).status).toBe(201)
      const agent = yield* create(yield* login("acme-agent"), "role", action("Of an admin"))
      expectError(agent, 422, /Use a new key/)
    })
  )

  it.effect("is released by a failed response", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { actions } = yield* clientOf("acme-admin")
      const blocker = yield* actions.createAction({ payload: action("In the way") })
      expectError(yield* create(token, "freed", action("In the way")), 409, /An action named .* already exists/)
      expectError(yield* create(token, "freed", { name: "" }), 400, /name/)
      yield* actions.deleteAction({ path: { id: blocker.actionID } })
      const answer = yield* create(token, "freed", action("In the way"))
      expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([201, null])
    })
  )

  it.effect("is not shared by customers", () =>
    Effect.gen(function* () {
      const acme = yield* create(yield* login("acme-admin"), "shared", action("Everywhere"))
      const globex = yield* create(yield* login("globex-admin"), "shared", action("Everywhere"))
      expect([acme.status, globex.status]).toEqual([201, 201])
      expect(globex.headers.get("idempotency-replayed")).toBeNull()
      expect(yield* countOf("Everywhere")).toBe(2)
    })
  )

  it.effect("has 1 to 255 characters", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      for (const key of ["", "k".repeat(256)]) {
        expectError(yield* create(token, key, action("Never")), 400, /1 to 255 characters/)
      }
      expect(yield* countOf("Never")).toBe(0)
      for (const key of ["k", "k".repeat(255), "é ü"]) {
        expect((yield* create(token, key, action(`Key of ${key.length}`))).status).toBe(201)
      }
    })
  )

  it.effect("is checked only after the token", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      yield* create(token, "private", action("Private"))
      expectError(yield* create("wrong", "private", action("Private")), 401, /token/)
      expectError(yield* create("wrong", "", action("Private")), 401, /token/)
    })
  )

  it.effect("is refused with 409 while its first request still runs", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { letGo } = yield* holdActions
      const request = create(token, "running", action("Slow"))
      const both = yield* Effect.all([Effect.fork(request), Effect.fork(request)])
      const early = yield* Effect.raceFirst(both[0], both[1])
      expectError(early, 409, /still running/)
      yield* letGo
      const answers = yield* Effect.all(both)
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
      expect((yield* create(token, "running", action("Slow"))).headers.get("idempotency-replayed")).toBe("true")
    }).pipe(Effect.scoped)
  )

  it.effect("creates one row when sent 20 times at once", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => create(token, "parallel", action("Parallel"))),
        { concurrency: "unbounded" }
      )
      for (const { status } of answers) expect([201, 409]).toContain(status)
      const fresh = answers.filter(({ headers, status }) => status === 201 && !headers.has("idempotency-replayed"))
      expect(fresh).toHaveLength(1)
      expect(yield* countOf("Parallel")).toBe(1)
    })
  )

  it.effect("is kept for 24 hours", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const sql = yield* SqlClient.SqlClient
      const age = (hours: string) => sql`
        update idempotency set created_at = now() - ${hours}::interval where key = 'aged' /* all customers: ages */`
      const { status } = yield* create(token, "aged", action("Aged"))
      yield* age("23 hours 59 minutes")
      expect((yield* create(token, "aged", action("Aged"))).headers.get("idempotency-replayed")).toBe("true")
      yield* age("24 hours 1 minute")
      expect([status, (yield* create(token, "aged", action("Aged"))).status]).toEqual([201, 409])
      expect((yield* create(token, "aged", action("Aged again"))).status).toBe(201)
      expect((yield* create(token, "aged", action("Aged again"))).headers.get("idempotency-replayed")).toBe("true")
    })
  )
})
