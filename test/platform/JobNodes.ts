import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { Stopping } from "../../src/platform/concurrency/Stopping.ts"
import { Jobs, StopWork } from "../../src/platform/queue/Jobs.ts"
import { ClaimTiming } from "../../src/platform/queue/JobsRepo.ts"
import { StatementAudit } from "../support/StatementAudit.ts"

export const [one, other, third] = [CustomerID.make(1), CustomerID.make(2), CustomerID.make(3)]

export const kindOf = (kind: string) => ({ kind, payload: Schema.Struct({ number: Schema.Int }) })

const Quiet = Logger.minimumLogLevel(LogLevel.None)

/** The workers of one node, which run until the scope ends. */
export const startNode = (timing = { claimSeconds: 25, renewEvery: Duration.seconds(7) }) =>
  Layer.build(
    Layer.fresh(Jobs.layer.pipe(Layer.provide(Stopping.layer))).pipe(
      Layer.provide([
        StatementAudit,
        Quiet,
        Layer.succeed(ClaimTiming, timing),
        Layer.succeed(StopWork, { within: Duration.zero })
      ])
    )
  ).pipe(Effect.map((context) => Context.get(context, Jobs)))

export const rowsOf = (kind: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ status: string; attempts: number; done: number; error: string | null }>`
      select status, attempts, done, error from job
      where customer_id in (${one}, ${other}) and kind = ${kind} order by created_at`
  )
