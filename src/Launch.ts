import { Console, Effect, Layer, RuntimeFlags, RuntimeFlagsPatch } from "effect"
import { type KnownError, withStacks } from "./KnownError.ts"
import { LogLines } from "./platform/text/LogLines.ts"

/** Runs the service until it is told to stop; if startup fails for a known reason, prints that reason in one line. */
export const launch = (main: Layer.Layer<never, KnownError>) =>
  Layer.launch(main).pipe(
    Effect.tapErrorCause((cause) => {
      const why = withStacks(cause)
      return why === "" ? Effect.void : Console.error(why)
    }),
    Effect.onInterrupt(() => Effect.logInfo("stopped")),
    Effect.provide(LogLines),
    // Nothing reads Effect's own fiber metrics: the service reports its metrics through ServiceMetrics.
    Effect.withRuntimeFlagsPatch(RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
  )
