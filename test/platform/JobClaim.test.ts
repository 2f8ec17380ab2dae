import { SqlClient } from "@effect/sql"
import { expect, it, layer } from "@effect/vitest"
import { Clock, Context, Deferred, Duration, Effect, Exit, Layer, Logger, LogLevel, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { JobID } from "../../schema/Jobs.ts"
import { Stopping } from "../../src/platform/concurrency/Stopping.ts"
import { ClaimLost, catchBreakage, confirmClaimNow } from "../../src/platform/queue/JobClaim.ts"
import { RunAgain } from "../../src/platform/queue/JobRun.ts"
import { Jobs, StopWork } from "../../src/platform/queue/Jobs.ts"
import { ClaimTiming } from "../../src/platform/queue/JobsRepo.ts"
import { eventually } from "../support/Eventually.ts"
import { onPostgres, TestDatabase, waitingForMe } from "../support/TestDatabase.ts"

const customerID = CustomerID.make(1)

const kindOf = (kind: string) => ({ kind, payload: Schema.Struct({}) })

/** A node that does not notice by itself that it has lost a claim, like one that was just paused. */
const startNode = Layer.build(
  Layer.fresh(Jobs.layer.pipe(Layer.provide(Stopping.layer))).pipe(
    Layer.provide([
      Logger.minimumLogLevel(LogLevel.None),
      Layer.succeed(ClaimTiming, { claimSeconds: 120, renewEvery: Duration.minutes(5) }),
      Layer.succeed(StopWork, { within: Duration.zero })
    ])
  )
).pipe(Effect.map((context) => Context.get(context, Jobs)))

it("Work that another node has taken over ends silently, while other defects are handled", () => {
  const outcome = (defect: unknown) =>
    Effect.runSync(
      Effect.die(defect).pipe(
        catchBreakage(() => Effect.succeed("mended")),
        Effect.exit
      )
    )
  expect(outcome(new Error("broken"))).toEqual(Exit.succeed("mended"))
  const lost = new ClaimLost({ jobID: JobID.make("00000000-0000-4000-8000-000000000007") })
  expect(outcome(lost)).toEqual(Exit.die(lost))
})

layer(TestDatabase, { excludeTestServices: true })("An external effect of a job", (it) => {
  it.scoped("happens only while the claim holds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode
      const [paused, goOn, ended] = yield* Effect.all([
        Deferred.make<void>(),
        Deferred.make<void>(),
        Deferred.make<void>()
      ])
      let sent = 0
      const send = Effect.zipRight(
        confirmClaimNow,
        Effect.sync(() => {
          sent += 1
        })
      )
      yield* jobs.handle(kindOf("Leaving"), () =>
        send.pipe(
          Effect.zipRight(Deferred.succeed(paused, undefined)),
          Effect.zipRight(Deferred.await(goOn)),
          Effect.zipRight(send),
          Effect.ensuring(Deferred.succeed(ended, undefined))
        )
      )
      yield* jobs.enqueue(kindOf("Leaving"), customerID, {})
      yield* Deferred.await(paused)
      expect(sent).toBe(1)
      yield* sql`update job set claims = claims + 1 where customer_id = ${customerID} and kind = 'Leaving'`
      yield* Deferred.succeed(goOn, undefined)
      yield* Deferred.await(ended)
      expect(sent).toBe(1)
    })
  )

  it.scoped("does not rely on a confirmation that lay in its socket during a pause", () =>
    Effect.gen(function* () {
      const jobs = yield* startNode
      const ended = yield* Deferred.make<void>()
      const clock = yield* Effect.clock
      let [reads, asleep] = [0, 0n]
      const stoppedOnce: Clock.Clock = {
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
        currentTimeMillis: clock.currentTimeMillis,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        sleep: (duration) => clock.sleep(duration),
        currentTimeNanos: Effect.sync(() => {
          reads += 1
          // A minute passes between the query and the response that it reads first.
          if (reads === 2) asleep = 60_000_000_000n
          return clock.unsafeCurrentTimeNanos() + asleep
        })
      }
      yield* jobs.handle(kindOf("Paused"), () =>
        confirmClaimNow.pipe(Effect.withClock(stoppedOnce), Effect.zipRight(Deferred.succeed(ended, undefined)))
      )
      yield* jobs.enqueue(kindOf("Paused"), customerID, {})
      yield* Deferred.await(ended)
      expect(reads).toBe(4)
    })
  )

  it.effect("needs no claim in a request", () => confirmClaimNow)
})

layer(TestDatabase, { excludeTestServices: true })("A job", (it) => {
  it.scoped("gives its key up at once to a job that is just being enqueued under it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const jobs = yield* startNode
      const [begun, goOn] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      yield* jobs.handle(kindOf("Keyed"), () =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(goOn)),
          Effect.as(new RunAgain({ pauseSeconds: 3600 }))
        )
      )
      const enqueue = jobs.enqueue(kindOf("Keyed"), customerID, {}, "key")
      yield* enqueue
      yield* Deferred.await(begun)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* enqueue
          yield* Deferred.succeed(goOn, undefined)
          // The embedded database has one connection, so there it waits in any case.
          if (onPostgres) yield* eventually(waitingForMe, (waiting) => waiting > 0)
        })
      )
      const waiting = sql`
        select 1 from job where customer_id = ${customerID} and kind = 'Keyed' and status = 'Queued' and error is null
          and due_at > now() + interval '59 minutes'`
      // Long before its claim expires.
      yield* eventually(waiting, ({ length }) => length === 2, "20 seconds")
    })
  )
})
