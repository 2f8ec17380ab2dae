import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import type { Jobs } from "../../src/platform/queue/Jobs.ts"
import { eventually } from "../support/Eventually.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { kindOf, one, rowsOf, startNode } from "./JobNodes.ts"

/** A node that can be told to stop, and must have stopped within a minute. */
const startedNode = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const jobs = yield* Scope.extend(startNode(), scope)
  const stop = Scope.close(scope, Exit.void).pipe(
    Effect.disconnect,
    Effect.timeoutFail({ duration: "1 minute", onTimeout: () => "the node did not stop" })
  )
  return { jobs, stop }
})

const several = 5

/** Starts several jobs of a kind, and waits until all of them run. */
const begin = (jobs: typeof Jobs.Service, kind: ReturnType<typeof kindOf>, work: Effect.Effect<void>) =>
  Effect.gen(function* () {
    let begun = 0
    yield* jobs.handle(kind, () =>
      Effect.suspend(() => {
        begun += 1
        return work
      })
    )
    yield* Effect.forEach(Arr.range(1, several), (number) => jobs.enqueue(kind, one, { number }))
    yield* eventually(
      Effect.sync(() => begun),
      (count) => count === several
    )
  })

const allQueued = Arr.replicate(expect.objectContaining({ status: "Queued" }), several)

layer(TestDatabase, { excludeTestServices: true })("A node that stops", (it) => {
  it.effect("interrupts all its work at once", () =>
    Effect.gen(function* () {
      const kind = kindOf("EndingTogether")
      const { jobs, stop } = yield* startedNode
      const allEnd = yield* Deferred.make<void>()
      let ending = 0
      // Each ends only when all do.
      const end = Effect.suspend(() => {
        ending += 1
        return ending === several ? Deferred.succeed(allEnd, undefined) : Deferred.await(allEnd)
      })
      yield* begin(
        jobs,
        kind,
        Effect.onInterrupt(Effect.never, () => end)
      )
      yield* stop
      expect(ending).toBe(several)
      expect(yield* rowsOf(kind.kind)).toEqual(allQueued)
    })
  )

  it.effect("does not wait for work that is stuck, and leaves it to other nodes", () =>
    Effect.gen(function* () {
      const kind = kindOf("Stuck")
      const { jobs, stop } = yield* startedNode
      const letGo = yield* Deferred.make<void>()
      yield* begin(jobs, kind, Effect.uninterruptible(Deferred.await(letGo)))
      yield* stop
      expect(yield* rowsOf(kind.kind)).toEqual(allQueued)
      yield* Deferred.succeed(letGo, undefined)
    })
  )

  it.effect("does not wait for a database that does not answer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const kind = kindOf("NotAnswered")
      const { jobs, stop } = yield* startedNode
      yield* begin(jobs, kind, Effect.never)
      const [held, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* sql`select 1 from job where customer_id = ${one} and kind = ${kind.kind} for update`.pipe(
        Effect.zipRight(Deferred.succeed(held, undefined)),
        Effect.zipRight(Deferred.await(letGo)),
        sql.withTransaction,
        Effect.fork
      )
      yield* Deferred.await(held)
      yield* stop
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holder)
    })
  )
})
