import { Effect, FiberRef } from "effect"

type Spanned = (...values: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

/**
 * `Effect.fn`, whose name is a span, for next to nothing while nobody collects spans. The library's own takes a stack
 * trace a call and makes a span that nobody keeps, which together cost more than most of what is named here does.
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
  // The overloads of the library's type can be met, but not written again.
  return make as Effect.fn.Gen
}
