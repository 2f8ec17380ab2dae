import { SqlClient } from "@effect/sql"
import { Cause, Effect, Layer, Schema } from "effect"
import { isDatabaseAway } from "../database/DatabaseAway.ts"
import { atAGlance, takesChanges } from "../database/Glance.ts"
import { sampleBy } from "./Sampling.ts"
import { databaseUp, jobsOldest, jobsWaiting, mailsSetAside } from "./ServiceMetrics.ts"

const Queue = Schema.Array(Schema.Struct({ kind: Schema.String, waiting: Schema.Int, oldest: Schema.Number }))

const Count = Schema.Tuple(Schema.Struct({ mails: Schema.Int }))

const isTooSlow = (cause: Cause.Cause<unknown>) => [...Cause.failures(cause)].some(Cause.isTimeoutException)

/** Samples what waits in the database, the same on whichever node. */
export const WorkSamples = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeQueue = Schema.decodeUnknown(Queue)
    const decodeCount = Schema.decodeUnknown(Count)
    const kinds = new Set<string>()

    const look = Effect.gen(function* () {
      // A database that cannot even answer this is down, for whatever reason.
      const isUp = yield* Effect.tapError(takesChanges, () => Effect.sync(() => databaseUp.set(0)))
      databaseUp.set(isUp ? 1 : 0)
      const queue = yield* Effect.flatMap(
        sql`/* all customers: how much work waits */
          select kind, count(*)::int as waiting, extract(epoch from now() - min(due_at))::float8 as oldest
          from job where status = 'Queued' and due_at <= now() group by kind`,
        decodeQueue
      )
      const [{ mails }] = yield* Effect.flatMap(
        sql`/* all customers: how much mail a person has to look at */
          select count(*)::int as mails from failed_mail where set_aside_at is not null`,
        decodeCount
      )
      for (const { kind } of queue) kinds.add(kind)
      for (const kind of kinds) {
        const found = queue.find((waiting) => waiting.kind === kind)
        jobsWaiting.set(found?.waiting ?? 0, { kind })
        jobsOldest.set(Math.max(0, found?.oldest ?? 0), { kind })
      }
      mailsSetAside.set(mails)
    })

    yield* sampleBy(
      look.pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        atAGlance,
        Effect.withTracerEnabled(false),
        // While the database is away, the metric that says so is the one to look at. Any other failure is logged.
        Effect.catchAllCause((cause) =>
          isDatabaseAway(cause) || isTooSlow(cause)
            ? Effect.sync(() => databaseUp.set(0))
            : Effect.logWarning("could not count what waits", cause)
        )
      )
    )
  })
)
