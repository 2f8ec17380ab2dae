import { Context, Effect, Layer } from "effect"
import { TooManyRequests } from "../../schema/Errors.ts"
import { makeKeyedPermits } from "../platform/concurrency/KeyedPermits.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { counted } from "../platform/text/Counted.ts"
import { AttemptsRepo } from "./AttemptsRepo.ts"

const limit = { failures: 10, minutes: 15 }

/**
 * Counts failures by username, address and the like in the database, so that every node sees them. An attempt counts
 * before it is made and is forgiven on success, so that concurrent attempts on any nodes cannot exceed the limit.
 */
export class Throttle extends Context.Tag("casework/Throttle")<
  Throttle,
  {
    /** Runs an attempt unless one of its keys has failed too often; a failure counts against all keys. */
    readonly attempt: <A, E, R>(
      keys: ReadonlyArray<string>,
      effect: Effect.Effect<A, E, R>,
      options?: { readonly clearOnSuccess: string }
    ) => Effect.Effect<A, E | TooManyRequests, R>
    /** Counts a use, whether or not it succeeds; true while the uses are within the limit. */
    readonly isAllowed: (keys: ReadonlyArray<string>) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    Throttle,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(AttemptsRepo.layer))
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const attempts = yield* AttemptsRepo
  const oneAtATime = yield* makeKeyedPermits(1)

  const tooMany = (seconds: number) => {
    const minutes = Math.ceil(seconds / 60)
    return TooManyRequests.after(seconds, `Too many failed attempts. Try again in ${counted(minutes, "minute")}.`)
  }

  /** Adds one to every key, or to none of them when one is at its limit. */
  const reserve = (keys: ReadonlyArray<string>) =>
    attempts.count(keys, limit).pipe(
      Effect.flatMap(({ at, secondsToWait }) => (secondsToWait === null ? Effect.succeed(at) : tooMany(secondsToWait))),
      inTransaction
    )

  return Throttle.of({
    attempt: fn("Throttle.attempt")(function* <A, E, R>(
      keys: ReadonlyArray<string>,
      effect: Effect.Effect<A, E, R>,
      options?: { readonly clearOnSuccess: string }
    ) {
      // One at a time on this node, so that successful attempts made at once are not counted as failures meanwhile.
      return yield* oneAtATime.withPermits(keys)(
        Effect.gen(function* () {
          const at = yield* reserve(keys)
          const result = yield* Effect.tapDefect(effect, () => attempts.forgive(keys, at))
          yield* attempts.forgive(keys, at)
          if (options !== undefined) yield* attempts.clear(options.clearOnSuccess)
          return result
        })
      )
    }),
    isAllowed: fn("Throttle.isAllowed")(function* (keys) {
      return yield* reserve(keys).pipe(
        Effect.as(true),
        Effect.catchTag("TooManyRequests", () => Effect.succeed(false))
      )
    })
  })
})
