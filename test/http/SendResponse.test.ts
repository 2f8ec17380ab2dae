import { createServer, type Server } from "node:http"
import { HttpServerResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect, FiberSet, Scheduler, Stream } from "effect"
import { sendResponse } from "../../src/platform/http/SendResponse.ts"
import { portOf } from "../support/Listening.ts"

/** As on a busy machine: other things happen between any two steps of a fiber. */
const interleaved = Effect.withScheduler(
  Scheduler.make(
    (task) => void setImmediate(task),
    (fiber) => (fiber.currentOpCount > 10 ? 0 : false)
  )
)

/** Each of them is more than a socket accepts at once. */
const pieces = Array.from({ length: 40 }, () => new Uint8Array(256 * 1024))

const serving = Effect.flatMap(FiberSet.makeRuntime(), (fork) =>
  Effect.acquireRelease(
    Effect.async<Server>((resume) => {
      const server = createServer((_, to) => {
        const response = HttpServerResponse.stream(Stream.fromIterable(pieces).pipe(Stream.rechunk(1)))
        const rest = sendResponse(to, { response, headers: {} }, "GET")
        if (rest !== undefined) fork(interleaved(rest))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
)

it.scopedLive("A response resumes even if the socket was free again before its fiber looked", () =>
  Effect.gen(function* () {
    const url = `http://127.0.0.1:${portOf(yield* serving)}`
    const bytes = yield* Effect.promise(async () => (await fetch(url)).arrayBuffer())
    expect(bytes.byteLength).toBe(40 * 256 * 1024)
  })
)
