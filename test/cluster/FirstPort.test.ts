import { expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit } from "effect"
import { firstPortOf } from "../../src/cluster/FirstPort.ts"
import { inOneLine } from "../../src/KnownError.ts"

const withPort = (port: string, count: number) =>
  firstPortOf(count).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["PORT", port]]))),
    Effect.map(String),
    Effect.exit,
    Effect.map(Exit.match({ onSuccess: (port) => port, onFailure: inOneLine }))
  )

it.effect("A cluster takes its ports from PORT on, and says in one line when it cannot", () =>
  Effect.gen(function* () {
    expect(yield* withPort("", 3)).toBe("3000")
    expect(yield* withPort("65533", 3)).toBe("65533")
    expect(yield* withPort("abc", 3)).toBe('Settings: PORT: Expected a number from 0 to 65535 but received "abc"')
    for (const port of ["0", "65534"]) {
      expect(yield* withPort(port, 3)).toBe(
        `PORT is ${port}, but 3 nodes need 3 consecutive ports starting there, all from 1 to 65535.`
      )
    }
  })
)
