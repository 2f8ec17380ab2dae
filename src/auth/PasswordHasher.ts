import { hash, verify } from "@node-rs/argon2"
import { Context, Effect, Layer, Redacted } from "effect"

/** argon2id (the library's default) with OWASP's minimum parameters; runs on the thread pool, not the main thread. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const zeros = (count: number) => Buffer.alloc(count).toString("base64").replace(/=+$/, "")

/** A well-formed hash that takes as long to verify as a real one, but that no password matches. */
const ofNobody = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$${zeros(16)}$${zeros(32)}`

// Each run takes 19 MiB and a core for a while: more at once would only starve other requests.
const atOnce = 2

export class PasswordHasher extends Context.Tag("casework/PasswordHasher")<
  PasswordHasher,
  {
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string>
    readonly verify: (stored: string, password: Redacted.Redacted) => Effect.Effect<boolean>
    /** Takes as long as a real verification and fails: for an unknown username. */
    readonly verifyNothing: (password: Redacted.Redacted) => Effect.Effect<false>
  }
>() {
  static readonly layer = Layer.effect(
    PasswordHasher,
    Effect.gen(function* () {
      const turns = yield* Effect.makeSemaphore(atOnce)
      // A run cannot be stopped: it keeps its turn until it ends, even when the client is gone.
      const inTurn = <A>(run: () => Promise<A>) => turns.withPermits(1)(Effect.uninterruptible(Effect.promise(run)))
      const check = (stored: string, password: Redacted.Redacted) =>
        inTurn(() => verify(stored, Redacted.value(password)))
      return {
        hash: (password) => inTurn(() => hash(Redacted.value(password), parameters)),
        verify: check,
        verifyNothing: (password) => Effect.as(check(ofNobody, password), false as const)
      }
    })
  )
}
