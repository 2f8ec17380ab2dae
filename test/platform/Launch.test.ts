import { describe, expect, it } from "@effect/vitest"
import { Console, Effect, Layer } from "effect"
import { Refused } from "../../src/admin/Refused.ts"
import type { KnownError } from "../../src/KnownError.ts"
import { launch } from "../../src/Launch.ts"
import { capturedConsole } from "../admin/RunAdmin.ts"

const printedBy = (start: Effect.Effect<void, KnownError>) =>
  Effect.gen(function* () {
    const { console, errors } = yield* capturedConsole
    yield* launch(Layer.effectDiscard(start)).pipe(Console.withConsole(console), Effect.exit)
    return errors.join("\n").split("\n")
  })

describe("A start that fails", () => {
  it.effect("prints one line for a known reason", () =>
    Effect.gen(function* () {
      expect(yield* printedBy(new Refused({ message: "Not now." }))).toEqual(["Not now."])
    })
  )

  it.effect("also prints where an unknown reason comes from", () =>
    Effect.gen(function* () {
      const [line, ...stack] = yield* printedBy(Effect.die(new Error("outer", { cause: new Error("inner") })))
      expect(line).toBe("Unexpected error: inner")
      expect(stack[0]).toBe("Error: outer")
      expect(stack.filter((text) => text.includes("Launch.test.ts")).length).toBeGreaterThan(1)
    })
  )
})
