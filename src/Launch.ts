import type { HttpServerError } from "@effect/platform"
import type { SqlError } from "@effect/sql"
import { Cause, type ConfigError, Console, Effect, Layer, Logger } from "effect"
import type { FolderInUse } from "./platform/FolderLock.ts"

export type StartError = ConfigError.ConfigError | SqlError.SqlError | FolderInUse | HttpServerError.ServeError

const innermost = (error: unknown): string =>
  error instanceof Error ? (error.cause instanceof Error ? innermost(error.cause) : error.message) : String(error)

/** One line that says what to change. */
const inOneLine = (error: StartError) => {
  switch (error._tag) {
    case "FolderInUse":
      return error.message
    case "SqlError":
      return `${error.message}: ${innermost(error)}`
    case "ServeError":
      return `Cannot listen: ${innermost(error)}. Set PORT or HOST to something else.`
    default:
      return `Configuration: ${String(error).replaceAll("\n", " ")}`
  }
}

/** Runs the service until it is told to stop; a start that fails for a known reason says so in one line. */
export const launch = (main: Layer.Layer<never, StartError>) =>
  Layer.launch(main).pipe(
    Effect.tapErrorCause((cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.void
        : Console.error(
            Cause.match(cause, {
              onEmpty: "",
              onFail: inOneLine,
              onDie: (defect) => `Could not start: ${innermost(defect)}`,
              onInterrupt: () => "",
              onSequential: (left, right) => left || right,
              onParallel: (left, right) => left || right
            })
          )
    ),
    Effect.provide(Logger.json)
  )
