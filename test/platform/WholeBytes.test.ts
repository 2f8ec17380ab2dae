import { expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { wholeOf, wholeUpTo } from "../../src/platform/WholeBytes.ts"

const piece = (...bytes: ReadonlyArray<number>) => Uint8Array.from(bytes)

const pieces = Stream.make(piece(1, 2), piece(), piece(3), piece(4, 5))

it.effect("The pieces of a stream are joined in order", () =>
  Effect.gen(function* () {
    expect([...(yield* wholeOf(pieces))]).toEqual([1, 2, 3, 4, 5])
    expect(yield* wholeOf(Stream.empty)).toHaveLength(0)
  })
)

it.effect("A stream is read whole up to the allowed size, and beyond it fails without reading the rest", () =>
  Effect.gen(function* () {
    const upTo = (largest: number) => wholeUpTo(largest, () => "too much")
    expect([...(yield* upTo(5)(pieces))]).toEqual([1, 2, 3, 4, 5])
    let asked = 0
    const endless = Stream.repeatEffect(
      Effect.sync(() => {
        asked += 1
        return piece(0, 0)
      })
    )
    expect(yield* Effect.flip(upTo(5)(endless))).toBe("too much")
    expect(asked).toBe(3)
    expect(yield* Effect.flip(upTo(4)(pieces))).toBe("too much")
  })
)

it.effect("A stream that fails fails with its own error", () =>
  Effect.gen(function* () {
    const broken = Stream.concat(pieces, Stream.fail("broke off"))
    expect(yield* Effect.flip(wholeUpTo(100, () => "too much")(broken))).toBe("broke off")
  })
)
