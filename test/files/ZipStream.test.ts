import { randomBytes } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { SqlError } from "@effect/sql/SqlError"
import { expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Stream } from "effect"
import JSZip from "jszip"
import { zipStream } from "../../src/files/ZipStream.ts"
import { StoreAway } from "../../src/platform/BlobTrouble.ts"

const zipOf = (content: Stream.Stream<Uint8Array>) =>
  zipStream(() => new JSZip(), [{ name: "a.bin", content, options: {} }], { streamFiles: true })

it.live("A zip fails when a file breaks off while the writer waits for its reader", () =>
  Effect.gen(function* () {
    const [isHeldUp, isLost] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const content = Stream.make(randomBytes(400_000)).pipe(
      Stream.concat(
        Stream.fromEffect(Effect.zipRight(Deferred.await(isHeldUp), Effect.dieMessage("the disk is gone")))
      ),
      Stream.ensuring(Deferred.succeed(isLost, undefined))
    )
    const exit = yield* zipOf(content).pipe(
      Stream.tap(() => Effect.zipRight(Deferred.succeed(isHeldUp, undefined), Deferred.await(isLost))),
      Stream.runDrain,
      Effect.timeoutFail({ duration: "20 seconds", onTimeout: () => "It hangs" }),
      Effect.exit
    )
    expect(Exit.isFailure(exit) && Cause.pretty(exit.cause, { renderErrorCause: true })).toContain("the disk is gone")
  })
)

it.live.each([new StoreAway({ message: "away" }), new SqlError({ cause: new Error("away") })])(
  "A zip fails as the store of its files did: %s",
  (failure) =>
    Effect.gen(function* () {
      const exit = yield* zipOf(Stream.die(failure)).pipe(Stream.runDrain, Effect.exit)
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe(failure)
      // The writer emits the error once more, later: without a listener, that would end the process.
      yield* Effect.promise(() => setImmediate())
    })
)

it.live("A zip contains what it was given, however slowly it is read", () =>
  Effect.gen(function* () {
    const bytes = randomBytes(300_000)
    const pieces = Stream.fromIterable([bytes.subarray(0, 100_000), bytes.subarray(100_000)])
    const zipped = yield* zipOf(pieces).pipe(
      Stream.tap(() => Effect.yieldNow()),
      Stream.runCollect
    )
    const found = yield* Effect.promise(() => JSZip.loadAsync(Buffer.concat([...zipped])))
    expect(yield* Effect.promise(async () => found.file("a.bin")?.async("nodebuffer"))).toEqual(bytes)
  })
)
