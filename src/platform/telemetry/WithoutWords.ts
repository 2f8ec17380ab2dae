import { Cause, Exit } from "effect"

const mostFrames = 20

const tagOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  if ("_tag" in error && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "object"
}

const framesOf = (error: unknown): ReadonlyArray<string> => {
  if (!(error instanceof Error) || error.stack === undefined) return []
  // The message comes first and may have any number of lines, some of which may look like frames.
  const at = error.message === "" ? -1 : error.stack.indexOf(error.message)
  const behind = at === -1 ? error.stack : error.stack.slice(at + error.message.length)
  return behind.split("\n").filter((line) => /^\s+at /.test(line))
}

/**
 * A failure as it may leave the service: its kind and where it happened, but not its message, which may quote a person.
 */
class Silent extends Error {
  constructor(error: unknown) {
    const tag = tagOf(error)
    super(tag)
    this.name = tag
    this.stack = [tag, ...framesOf(error).slice(0, mostFrames)].join("\n")
  }
}

const silent = (error: unknown) => new Silent(error)

export const causeWithoutWords = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> => {
  if (Cause.isInterruptedOnly(cause)) return cause
  return Cause.match(cause, {
    onEmpty: Cause.empty,
    onFail: (error): Cause.Cause<unknown> => Cause.fail(silent(error)),
    onDie: (defect) => Cause.die(silent(defect)),
    onInterrupt: Cause.interrupt,
    onSequential: Cause.sequential,
    onParallel: Cause.parallel
  })
}

export const exitWithoutWords = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit) ? Exit.void : Exit.failCause(causeWithoutWords(exit.cause))

/** Keeps strings, which come from the code; of any other value only its kind. */
export const messageWithoutWords = (message: unknown): unknown => {
  if (Array.isArray(message)) return message.map(messageWithoutWords).join(" ")
  return typeof message === "string" ? message : tagOf(message)
}
