import { expect, it } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { describe } from "vitest"
import { fn } from "../../src/platform/telemetry/Fn.ts"

const double = fn("Numbers.double")(
  function* (number: number) {
    const span = yield* Effect.option(Effect.currentSpan)
    return { number: number * 2, span: span._tag === "Some" ? span.value.name : null }
  },
  (effect, given) => Effect.map(effect, (result) => ({ ...result, given }))
)

const refuse = fn("Numbers.refuse")(function* (why: string) {
  return yield* Effect.fail(why)
})

const traced = Layer.merge(
  Layer.setTracerEnabled(true),
  Layer.setTracer(
    Tracer.make({
      context: (run) => run(),
      span: (name, parent, context, links, startTime, kind) => ({
        _tag: "Span",
        name,
        parent,
        context,
        links,
        kind,
        spanId: name,
        traceId: name,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute: () => undefined,
        addLinks: () => undefined,
        event: () => undefined,
        end: () => undefined
      })
    })
  )
)

describe("A named function", () => {
  it.effect("is a span of that name while spans are collected", () =>
    Effect.gen(function* () {
      expect(yield* double(2)).toEqual({ number: 4, span: "Numbers.double", given: 2 })
    }).pipe(Effect.provide(traced))
  )

  it.effect("does the same without a span otherwise", () =>
    Effect.gen(function* () {
      expect(yield* double(2)).toEqual({ number: 4, span: null, given: 2 })
      expect(yield* Effect.flip(refuse("no"))).toBe("no")
    }).pipe(Effect.withTracerEnabled(false))
  )

  it.effect("starts from scratch each time that it is run", () =>
    Effect.gen(function* () {
      let runs = 0
      const count = fn("Numbers.count")(function* () {
        runs += 1
        return yield* Effect.succeed(runs)
      })
      const counted = count()
      expect([yield* counted, yield* counted]).toEqual([1, 2])
    })
  )
})
