import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Layer, Logger, LogLevel, TestClock, TestContext } from "effect"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { Revocations } from "../../src/auth/Revocations.ts"
import { isDatabaseAway } from "../../src/platform/database/DatabaseAway.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { askForReset, attemptLogin, resetPassword, statusWith, tokenIn } from "../support/Logins.ts"
import { baseUrl, clientOf, headerOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { TestMailer } from "../support/TestMailer.ts"

const statusAt = (base: string, token: string) =>
  Effect.promise(
    async () => (await fetch(`${base}/api/Actions`, { headers: { authorization: `Bearer ${token}` } })).status
  )

/** Checks that a request is refused when it is sent five seconds after the change, or earlier. */
const refusedWithinFiveSeconds = (base: string, token: string) =>
  Effect.gen(function* () {
    const changed = yield* Clock.currentTimeMillis
    const ask = Effect.gen(function* () {
      const sent = yield* Clock.currentTimeMillis
      return { late: sent - changed > 5_000, status: yield* statusAt(base, token) }
    })
    const last = yield* eventually(ask, ({ late, status }) => late || status === 401)
    expect(last.status).toBe(401)
  })

/** Writes to the database what a new role or a deletion writes. */
const raise = (username: string, change: "role" | "deletion") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`/* all customers: by hand */
      update customer_rep set security_version = security_version + 1, security_changed_at = now(),
        role = case when ${change} = 'role' then 'Agent' else role end,
        deleted_at = case when ${change} = 'deletion' then now() end
      where username = ${username}`
  })

/** A monotonic clock that can be moved ahead by hours. */
const movableClock = Effect.map(Effect.clock, (clock) => {
  let ahead = 0n
  const movable: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
    currentTimeMillis: clock.currentTimeMillis,
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() + ahead,
    sleep: (duration) => clock.sleep(duration),
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos + ahead)
  }
  const moveAhead = (hours: number) => {
    ahead += BigInt(hours * 3600) * 1_000_000_000n
  }
  return { layer: Layer.setClock(movable), moveAhead }
})

layer(testApp(), { excludeTestServices: true })("Revocation", (it) => {
  it.effect("ends no token when the change of its representative does not commit", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const here = yield* baseUrl
      const admin = yield* tokenOf("acme-admin")
      const { representatives } = yield* clientOf("acme-admin")
      const { customerRepID } = yield* representatives.createCustomerRep({
        payload: { username: "unchanged", password: "Demo-Pass-1", name: "Same", email: "same@acme.example" }
      })
      const token = tokenIn(yield* attemptLogin({ username: "unchanged" }))
      const path = `/customerReps/${customerRepID}`
      const change = Effect.gen(function* () {
        const read = yield* sendJson("GET", path, { token: admin })
        const ifMatch = { "if-match": headerOf(read, "etag") }
        return (yield* sendJson("PUT", path, { token: admin, headers: ifMatch, body: { role: "Admin" } })).status
      })
      yield* sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`
      yield* sql`create constraint trigger refuse after update on customer_rep deferrable initially deferred
        for each row execute function refuse()`
      expect([yield* change, yield* statusAt(here, token)]).toEqual([500, 200])
      yield* sql`drop function refuse cascade`
      expect([yield* change, yield* statusAt(here, token)]).toEqual([204, 401])
    })
  )

  it.scoped("is forgotten once every token that it ended has expired, and not before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { layer: movable, moveAhead } = yield* movableClock
      const { channels, representatives } = yield* clientOf("acme-admin")
      const { customerRepID } = yield* representatives.createCustomerRep({
        payload: { username: "raised", password: "Demo-Pass-1", name: "Raised", email: "raised@acme.example" }
      })
      yield* raise("raised", "role")
      const { channelID } = yield* channels.createChannel({
        payload: { channelType: "Phone", name: "Deleted", isActive: true }
      })
      yield* channels.deleteChannel({ path: { id: channelID } })
      const customerID = CustomerID.make(99)
      yield* sql`insert into removed_customer (about_customer) values (${customerID})`
      const context = yield* Layer.build(Layer.fresh(Revocations.layer).pipe(Layer.provide(movable)))
      const revocations = yield* Effect.provide(Revocations, context)
      const areGood = () => [
        revocations.isCurrent(customerRepID, 1),
        revocations.hasChannel(channelID),
        revocations.hasCustomer(customerID)
      ]
      expect(areGood()).toEqual([false, false, false])
      // Date them far back in the database, so that no later poll finds them again.
      yield* sql`update customer_rep set security_changed_at = now() - interval '9 days'
        where customer_id = 1 and customer_rep_id = ${customerRepID}`
      yield* sql`update channel set deleted_at = now() - interval '9 days'
        where customer_id = 1 and channel_id = ${channelID}`
      yield* sql`delete from removed_customer where about_customer = ${customerID}`
      moveAhead(24)
      yield* revocations.fresh
      expect(areGood()).toEqual([false, false, false])
      moveAhead(1)
      yield* revocations.fresh
      expect(areGood()).toEqual([true, true, true])
    })
  )

  it.effect("a new password ends earlier tokens at once here, and within 5 seconds on another node", () =>
    Effect.gen(function* () {
      const here = yield* baseUrl
      const { next } = yield* TestMailer
      const old = tokenIn(yield* attemptLogin({ username: "acme-agent" }))
      yield* onAnotherNode()(
        Effect.gen(function* () {
          const there = yield* baseUrl
          expect(there).not.toBe(here)
          expect([yield* statusAt(here, old), yield* statusAt(there, old)]).toEqual([200, 200])
          // The second node has a mailer of its own: whichever node takes the job sends the mail.
          const elsewhere = yield* TestMailer
          yield* askForReset("agent@acme.example")
          const mail = yield* Effect.race(next, elsewhere.next)
          yield* resetPassword(yield* Effect.fromNullable(/token=(\S+)/.exec(mail.text)?.[1]), "Brand-New-1")
          expect(yield* statusAt(there, old)).toBe(401)
          yield* refusedWithinFiveSeconds(here, old)
          const fresh = tokenIn(yield* attemptLogin({ username: "acme-agent", password: "Brand-New-1" }))
          expect([yield* statusAt(here, fresh), yield* statusAt(there, fresh)]).toEqual([200, 200])
        })
      )
    })
  )

  it.effect("a new role and a deletion end earlier tokens on every node", () =>
    Effect.gen(function* () {
      const here = yield* baseUrl
      const changed = tokenIn(yield* attemptLogin({ username: "acme-admin" }))
      const deleted = tokenIn(yield* attemptLogin({ username: "initech-admin" }))
      const untouched = tokenIn(yield* attemptLogin({ username: "globex-admin" }))
      yield* onAnotherNode()(
        Effect.gen(function* () {
          const there = yield* baseUrl
          for (const token of [changed, deleted, untouched]) expect(yield* statusAt(there, token)).toBe(200)
          yield* raise("acme-admin", "role")
          yield* raise("initech-admin", "deletion")
          for (const token of [changed, deleted]) {
            yield* refusedWithinFiveSeconds(here, token)
            yield* refusedWithinFiveSeconds(there, token)
          }
          for (const base of [here, there]) expect(yield* statusAt(base, untouched)).toBe(200)
        })
      )
      yield* onAnotherNode()(
        Effect.gen(function* () {
          expect([yield* statusWith(changed), yield* statusWith(deleted)]).toEqual([401, 401])
          expect(yield* statusWith(untouched)).toBe(200)
        })
      )
    })
  )

  it.scoped("a node that could not reach the database for a while catches up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { layer: movable, moveAhead } = yield* movableClock
      const [rep] = yield* sql<{ id: number; version: number }>`/* all customers: by hand */
        select customer_rep_id as id, security_version as version from customer_rep where username = 'globex-admin'`
      const { id: customerRepID, version } = yield* Effect.fromNullable(rep)
      const id = CustomerRepID.make(customerRepID)
      const context = yield* Layer.build(Layer.fresh(Revocations.layer).pipe(Layer.provide(movable)))
      const revocations = yield* Effect.provide(Revocations, context)
      // Committed ten minutes ago by another node, while this one could not reach the database.
      yield* sql`/* all customers: by hand */
        update customer_rep set security_version = security_version + 1,
          security_changed_at = now() - interval '10 minutes' where customer_rep_id = ${id}`
      expect(revocations.isCurrent(id, version)).toBe(true)
      moveAhead(20 / 60)
      yield* eventually(
        Effect.sync(() => revocations.isCurrent(id, version)),
        (current) => !current
      )
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("A check for revoked tokens", (it) => {
  it.scoped("is shared by all waiting requests while the database does not respond, and so is its failure", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { fresh } = yield* Effect.provide(Revocations, yield* Layer.build(Layer.fresh(Revocations.layer)))
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.addFinalizer(() => Deferred.succeed(goOn, undefined))
      yield* sql`/* all customers: nobody reads it meanwhile */ lock table customer_rep in access exclusive mode`.pipe(
        Effect.zipRight(Deferred.succeed(begun, undefined)),
        Effect.zipRight(Deferred.await(goOn)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(begun)
      yield* TestClock.adjust("6 seconds")
      const requests = yield* Effect.forEach([1, 2, 3], () => Effect.fork(fresh))
      yield* TestClock.adjust("5 seconds")
      for (const request of requests) {
        const exit = yield* Effect.flatten(request.poll)
        expect(Exit.isFailure(exit) && isDatabaseAway(exit.cause)).toBe(true)
      }
    }).pipe(Effect.provide([TestContext.TestContext, Logger.minimumLogLevel(LogLevel.None)]))
  )
})
