import { expect, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { WorkSamples } from "../../src/health/WorkSamples.ts"
import { layerFromPGlite, openPGlite } from "../../src/platform/database/EmbeddedPostgres.ts"
import { sample } from "../../src/platform/telemetry/Sampling.ts"
import { databaseUp } from "../../src/platform/telemetry/ServiceMetrics.ts"
import { capturedLog } from "../http/CapturedLog.ts"

const sampledUp = Effect.map(Effect.zipRight(sample, Metric.value(databaseUp.of({}))), ({ value }) => value)

it.scopedLive("A statement that fails is logged, and only a database that does not respond counts as down", () =>
  Effect.gen(function* () {
    const log = capturedLog()
    const pglite = yield* openPGlite({})
    const database = layerFromPGlite(Effect.succeed(pglite))
    yield* Effect.gen(function* () {
      // The database has no tables, so counting what waits in them fails.
      expect(yield* sampledUp).toBe(1)
      expect(log.entries()).toMatchObject([
        {
          logLevel: "WARN",
          message: "could not count waiting jobs and mails",
          cause: expect.stringContaining("does not exist")
        }
      ])
      yield* Effect.promise(() => pglite.close())
      expect(yield* sampledUp).toBe(0)
    }).pipe(Effect.provide(WorkSamples.pipe(Layer.provide(database), Layer.merge(log.layer))))
  })
)
