import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { attemptLogin, freshAddress } from "../support/Logins.ts"
import { type Answer, sendJson, testApp } from "../support/TestApp.ts"

const wrong = { password: "Wrong-Pass-1" }

const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.makeBy(count, () => effect),
    { concurrency: 1 }
  )

const statuses = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status)

const countOf = (status: number, answers: ReadonlyArray<Answer>) =>
  statuses(answers).filter((found) => found === status).length

const letTimePass = (minutes: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update attempt set failures = array(select f - make_interval(mins => ${minutes}::int) from unnest(failures) f)`
  )

layer(testApp(), { excludeTestServices: true })("Throttle", (it) => {
  it.effect("stops a username after ten failures, whatever the address and the password", () =>
    Effect.gen(function* () {
      const username = "acme-agent"
      const failures = yield* times(
        10,
        Effect.suspend(() => attemptLogin({ username, ...wrong }))
      )
      expect(statuses(failures)).toEqual(Array.replicate(401, 10))
      const refused = yield* attemptLogin({ username: "ACME-Agent" })
      expect(refused).toMatchObject({ status: 429, json: { status: 429, error: "Too Many Requests" } })
      const seconds = Number(refused.headers.get("retry-after"))
      expect(seconds).toBeGreaterThan(14 * 60)
      expect(seconds).toBeLessThanOrEqual(15 * 60)
      expect((yield* attemptLogin({ username: "acme-admin" })).status).toBe(200)
    })
  )

  it.effect("forgets failures after fifteen minutes", () =>
    Effect.gen(function* () {
      const username = "initech-admin"
      yield* times(
        10,
        Effect.suspend(() => attemptLogin({ username, ...wrong }))
      )
      yield* letTimePass(14)
      expect((yield* attemptLogin({ username })).status).toBe(429)
      yield* letTimePass(2)
      expect((yield* attemptLogin({ username })).status).toBe(200)
    })
  )

  it.effect("stops an address after ten failures, whatever the username", () =>
    Effect.gen(function* () {
      const address = freshAddress()
      for (const number of Array.range(1, 10)) {
        expect((yield* attemptLogin({ username: `nobody-${number}` }, address)).status).toBe(401)
      }
      expect((yield* attemptLogin({}, address)).status).toBe(429)
      expect((yield* attemptLogin({}, `1.2.3.4, ${address}`)).status).toBe(429)
      expect((yield* attemptLogin({}, `${address}, ${freshAddress()}`)).status).toBe(200)
      expect((yield* attemptLogin()).status).toBe(200)
    })
  )

  it.effect("a success clears the username's counter and not the address's", () =>
    Effect.gen(function* () {
      const address = freshAddress()
      yield* times(9, attemptLogin(wrong, address))
      expect((yield* attemptLogin({}, address)).status).toBe(200)
      expect((yield* attemptLogin(wrong, address)).status).toBe(401)
      expect((yield* attemptLogin({}, address)).status).toBe(429)
      expect((yield* attemptLogin()).status).toBe(200)
      const failures = yield* times(
        10,
        Effect.suspend(() => attemptLogin(wrong))
      )
      expect(statuses(failures)).toEqual(Array.replicate(401, 10))
      expect((yield* attemptLogin()).status).toBe(429)
    })
  )

  it.effect("lets exactly ten of thirty simultaneous wrong attempts through, over two nodes", () =>
    Effect.gen(function* () {
      const attempts = (count: number) =>
        Effect.all(
          Array.makeBy(count, () => attemptLogin({ username: "globex-admin", ...wrong })),
          { concurrency: "unbounded" }
        )
      const [here, there] = yield* Effect.all([attempts(15), onAnotherNode()(attempts(15))], {
        concurrency: "unbounded"
      })
      const answers = [...here, ...there]
      expect(countOf(401, answers)).toBe(10)
      expect(countOf(429, answers)).toBe(20)
      expect((yield* onAnotherNode()(attemptLogin({ username: "globex-admin" }))).status).toBe(429)
    })
  )

  it.effect("counts all spellings together that the database folds to the same name", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // What lower() returns depends on the database; spellings that it folds together must share a counter.
      const username = "\u212Aaren-\u0130ris"
      const [row] = yield* sql<{ folded: string }>`select lower(${username}::text) as folded`
      const spellings = [username, (yield* Effect.fromNullable(row)).folded, username.toUpperCase()]
      const [again] = yield* sql<{ same: number }>`
        select count(distinct lower(s))::int as same from unnest(${spellings}::text[]) s`
      for (const number of Array.range(0, 9)) {
        const spelling = yield* Effect.fromNullable(spellings[again?.same === 1 ? number % 3 : number % 2])
        yield* attemptLogin({ username: spelling })
      }
      expect((yield* attemptLogin({ username })).status).toBe(429)
    })
  )

  it.effect("does not take good logins made at once for failures", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from attempt`
      const address = freshAddress()
      const answers = yield* Effect.all(
        Array.makeBy(15, () => attemptLogin({}, address)),
        { concurrency: "unbounded" }
      )
      expect(countOf(200, answers)).toBe(15)
    })
  )

  it.effect("does not count a request that is not valid", () =>
    Effect.gen(function* () {
      const address = freshAddress()
      yield* times(
        12,
        sendJson("POST", "/api/Auth/login", {
          body: { username: "acme-admin" },
          headers: { "x-forwarded-for": address }
        })
      )
      expect((yield* attemptLogin({}, address)).status).toBe(200)
    })
  )

  it.effect("uses the socket's address, not the header, when no proxy is trusted", () =>
    Effect.gen(function* () {
      const answers = yield* times(
        11,
        Effect.suspend(() => attemptLogin({ username: `somebody-${freshAddress()}` }))
      )
      expect(statuses(answers)).toEqual([...Array.replicate(401, 10), 429])
    }).pipe(onAnotherNode({ TRUST_PROXY: "false" }))
  )

  it.effect("uses the address that the farthest trusted proxy reports, and nothing before it", () =>
    Effect.gen(function* () {
      const [here, there] = [freshAddress(), freshAddress()]
      const through = (address: string) => `${freshAddress()}, ${address}, 10.0.0.5`
      const answers = yield* times(
        11,
        Effect.suspend(() => attemptLogin({ username: `somebody-${freshAddress()}` }, through(here)))
      )
      expect(statuses(answers)).toEqual([...Array.replicate(401, 10), 429])
      expect((yield* attemptLogin({}, through(there))).status).toBe(200)
    }).pipe(onAnotherNode({ TRUST_PROXY: "2" }))
  )

  it.effect("stores no readable name or address", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* attemptLogin({ username: "a-name-in-clear", ...wrong })
      const rows = yield* sql<{ key: string }>`select key from attempt`
      expect(rows.length).toBeGreaterThan(0)
      for (const { key } of rows) expect(key).toMatch(/^[0-9a-f]{64}$/)
    })
  )
})
