import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger, LogLevel, TestClock, TestContext } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { JobID } from "../../schema/Jobs.ts"
import { makeJobRun } from "../../src/platform/queue/JobRun.ts"
import { JobsRepo } from "../../src/platform/queue/JobsRepo.ts"
import { makeJobTelemetry } from "../../src/platform/telemetry/JobTelemetry.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const job = {
  jobID: JobID.make("00000000-0000-4000-8000-000000000007"),
  customerID: CustomerID.make(1),
  kind: "Long",
  rank: 0,
  asksModels: false,
  payload: {},
  attempts: 1,
  claims: 1,
  askedAt: new Date(0),
  ageSeconds: 0,
  traceParent: null
}

/** Of a database that has gone silent: a renewal cannot even be interrupted. */
const silentRenewals = (responds: Deferred.Deferred<void>) =>
  Effect.map(JobsRepo, (repo): typeof JobsRepo.Service => ({
    ...repo,
    renew: () => Effect.uninterruptible(Effect.as(Deferred.await(responds), "Lost" as const))
  }))

layer(JobsRepo.layer.pipe(Layer.provide(TestDatabase)), { excludeTestServices: true })("The work of a job", (it) => {
  it.scoped("ends before its claim does when the database goes silent", () =>
    Effect.gen(function* () {
      const [responds, begun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.addFinalizer(() => Deferred.succeed(responds, undefined))
      let hasEnded = false
      const work = Deferred.succeed(begun, undefined).pipe(
        Effect.zipRight(Effect.never),
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            hasEnded = true
          })
        )
      )
      const run = yield* makeJobRun({
        handlers: new Map([["Long", { run: () => work, giveUp: () => Effect.void }]]),
        telemetry: yield* makeJobTelemetry,
        isCrowded: () => false,
        onPutBack: () => undefined
      }).pipe(Effect.provideServiceEffect(JobsRepo, silentRenewals(responds)))
      yield* Effect.fork(run(job))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("12 seconds")
      expect(hasEnded).toBe(false)
      yield* TestClock.adjust("12 seconds")
      expect(hasEnded).toBe(true)
    }).pipe(Effect.provide([TestContext.TestContext, Logger.minimumLogLevel(LogLevel.None)]))
  )
})
