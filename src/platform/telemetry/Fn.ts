import { Effect, FiberRef } from "effect"

type Spanned = (...values: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

/**
 * `Effect.fn` with a span of that name, at next to no cost while tracing is off. The library's own takes a stack trace
 * per call and makes a span that is thrown away, which costs more than most functions that use this.
 */
export const fn = (name: string): Effect.fn.Gen => {
  const make = (...parts: ReadonlyArray<unknown>): Spanned => {
    const plain: Spanned = Reflect.apply(Effect.fnUntraced, undefined, parts)
    return (...values) =>
      Effect.withFiberRuntime((fiber) =>
        fiber.getFiberRef(FiberRef.currentTracerEnabled)
          ? Effect.withSpan(plain(...values), name, { captureStackTrace: false })
          : plain(...values)
      )
  }
  // The function meets the overloads of the library's type, but they cannot be written down again.
  return make as Effect.fn.Gen
}
