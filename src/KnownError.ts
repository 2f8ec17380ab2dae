import { inspect } from "node:util"
import type { HttpServerError } from "@effect/platform"
import type { Migrator, SqlError } from "@effect/sql"
import { Cause, Chunk, type ConfigError } from "effect"
import type { Refused } from "./admin/Refused.ts"
import type { FolderInUse } from "./platform/settings/FolderLock.ts"

/** Every known reason why the service or a command may fail to run. */
export type KnownError =
  | ConfigError.ConfigError
  | SqlError.SqlError
  | Migrator.MigrationError
  | FolderInUse
  | HttpServerError.ServeError
  | Refused

const innermost = (error: unknown): string => {
  // Some libraries throw objects that are not Errors and have no message.
  if (!(error instanceof Error))
    return typeof error === "object" ? inspect(error, { breakLength: Number.POSITIVE_INFINITY }) : String(error)
  if (error.cause instanceof Error) return innermost(error.cause)
  // When a connection was tried on several addresses, the error of any one attempt shows the reason.
  return error instanceof AggregateError && error.errors.length > 0 ? innermost(error.errors[0]) : error.message
}

const explainConfig = (error: ConfigError.ConfigError): string => {
  if (error._op === "And" || error._op === "Or") return `${explainConfig(error.left)}; ${explainConfig(error.right)}`
  const name = error.path.at(-1) ?? ""
  return error.message.startsWith(name) ? error.message : `${name}: ${error.message}`
}

const explain = (error: KnownError): string => {
  switch (error._tag) {
    case "FolderInUse":
    case "Refused":
      return error.message
    case "MigrationError":
      return error.cause === undefined ? error.message : `${error.message}: ${innermost(error)}`
    case "SqlError":
      return `${error.message}: ${innermost(error)}`
    case "ServeError":
      return `Cannot listen: ${innermost(error)}. Set PORT or HOST to another value.`
    default:
      return `Settings: ${explainConfig(error)}`
  }
}

/** What went wrong and what to change, for a person at a terminal. Empty when the program was merely interrupted. */
export const inOneLine = (cause: Cause.Cause<KnownError>): string =>
  Cause.match(cause, {
    onEmpty: "",
    onFail: explain,
    onDie: (defect) => `Unexpected error: ${innermost(defect)}`,
    onInterrupt: () => "",
    onSequential: (left, right) => left || right,
    onParallel: (left, right) => left || right
  }).replaceAll(/\s*\n\s*/g, " ")

/** Like `inOneLine`, followed by the stack of each defect, since a defect is a bug that has to be fixed in the code. */
export const withStacks = (cause: Cause.Cause<KnownError>): string =>
  [
    inOneLine(cause),
    ...Chunk.map(Cause.defects(cause), (defect) => Cause.pretty(Cause.die(defect), { renderErrorCause: true }))
  ].join("\n")
