import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Clock, Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { Deadlines } from "../../src/platform/http/Deadlines.ts"
import { baseUrl, login, send, sendJson, testNode } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { holdActions } from "./HeldTable.ts"
import { openSocket, readToEnd } from "./RawRequest.ts"
import { servedApi } from "./ServedApi.ts"

const endless = HttpApi.make("endless").add(
  HttpApiGroup.make("endless").add(HttpApiEndpoint.get("endless", "/endless"))
)

const deadlines = (stop: number) => ({
  headers: 600_000,
  request: 600_000,
  check: 1_000,
  idle: 600_000,
  stalled: 600_000,
  sending: 600_000,
  stop
})

/** A deadline that is never reached in these tests. */
const notInThisTest = 600_000

const drainSeconds = 599

/** A node that can be told to stop, on a database that outlives it. */
const startNode = (
  stop: number,
  settings: Readonly<Record<string, string>> = {},
  clock: Layer.Layer<never> = Layer.empty
) =>
  Effect.gen(function* () {
    const database = yield* Layer.build(TestDatabase)
    const scope = yield* Scope.make()
    const node = yield* Layer.buildWithScope(
      testNode(Layer.succeedContext(database), settings).pipe(
        Layer.provide([Layer.succeed(Deadlines, deadlines(stop)), clock])
      ),
      scope
    )
    return { services: Context.merge(node, database), stop: Scope.close(scope, Exit.void) }
  })

const listens = Effect.flatMap(baseUrl, (base) =>
  Effect.promise(() =>
    fetch(`${base}/health/live`).then(
      () => true,
      () => false
    )
  )
)

const untilItStopsListening = Effect.repeat(listens, { while: (up) => up, schedule: Schedule.spaced("20 millis") })

/** A request that waits for the held table. Returns once the service is working on it. */
const slowRequest = Effect.gen(function* () {
  const token = yield* login("acme-admin")
  const { letGo } = yield* holdActions
  const answered = yield* Deferred.make<void>()
  const socket = yield* openSocket
  const body = '{"name":"Slow","priority":1,"isActive":true}'
  const received = yield* Effect.fork(readToEnd(socket))
  socket.write(
    `POST /api/Actions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  )
  // Node sends 100 when it hands the request over.
  socket.once("data", () => Deferred.unsafeDone(answered, Effect.void))
  yield* Deferred.await(answered)
  socket.write(body)
  return { letGo, received }
})

it.live("A request under way finishes, and then the service stops at once rather than at its deadline", () =>
  Effect.gen(function* () {
    const { services, stop } = yield* startNode(notInThisTest)
    yield* Effect.gen(function* () {
      const { letGo, received } = yield* slowRequest
      const stopped = yield* Effect.fork(stop)
      yield* untilItStopsListening
      yield* letGo
      expect(yield* Fiber.join(received)).toMatch(/HTTP\/1\.1 201 Created.*"name":"Slow"/s)
      yield* Fiber.join(stopped).pipe(Effect.timeout("2 minutes"))
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
)

it.live("A request that hangs is cut off at the deadline", () =>
  Effect.gen(function* () {
    const { services, stop } = yield* startNode(300)
    yield* Effect.gen(function* () {
      const { received } = yield* slowRequest
      yield* stop.pipe(Effect.timeout("2 minutes"))
      expect(yield* Fiber.join(received)).toBe("HTTP/1.1 100 Continue\r\n\r\n")
      expect(yield* listens).toBe(false)
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
)

it.live("A request that is cut off releases what it holds before the service is down", () =>
  Effect.gen(function* () {
    const isUnderWay = yield* Deferred.make<void>()
    let isGivenBack = false
    const Handlers = HttpApiBuilder.group(endless, "endless", (handlers) =>
      handlers.handle("endless", () =>
        Deferred.succeed(isUnderWay, undefined).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() =>
            Effect.delay(
              Effect.sync(() => {
                isGivenBack = true
              }),
              "300 millis"
            )
          )
        )
      )
    )
    yield* Effect.gen(function* () {
      const asked = yield* Effect.fork(send("GET", "/endless"))
      yield* Deferred.await(isUnderWay)
      yield* Fiber.interrupt(asked)
    }).pipe(Effect.provide(servedApi(endless, Handlers)))
    expect(isGivenBack).toBe(true)
  })
)

it.live("Idle connections do not delay the shutdown", () =>
  Effect.gen(function* () {
    const { services, stop } = yield* startNode(notInThisTest)
    yield* Effect.gen(function* () {
      expect((yield* sendJson("GET", "/health/live")).status).toBe(200)
      const silent = yield* openSocket
      const kept = yield* openSocket
      kept.write("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
      const ends = yield* Effect.fork(Effect.all([readToEnd(silent), readToEnd(kept)], { concurrency: 2 }))
      yield* stop.pipe(Effect.timeout("2 minutes"))
      yield* Fiber.join(ends)
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
)

it.live("Before stopping, readiness fails and requests are served until load balancers had time to notice", () =>
  Effect.gen(function* () {
    const [draining, drained] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const real = yield* Effect.clock
    const clock = Layer.setClock({
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: () => real.unsafeCurrentTimeMillis(),
      currentTimeMillis: real.currentTimeMillis,
      unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos(),
      currentTimeNanos: real.currentTimeNanos,
      // The drain time passes when the test says so.
      sleep: (duration) =>
        Duration.equals(duration, Duration.seconds(drainSeconds))
          ? Effect.zipRight(Deferred.succeed(draining, undefined), Deferred.await(drained))
          : real.sleep(duration)
    })
    const { services, stop } = yield* startNode(notInThisTest, { DRAIN_SECONDS: String(drainSeconds) }, clock)
    yield* Effect.gen(function* () {
      const before = yield* send("GET", "/health/ready")
      expect([before.status, before.headers.get("connection")]).toEqual([200, "keep-alive"])
      const stopped = yield* Effect.fork(stop)
      yield* Deferred.await(draining)
      const refused = yield* send("GET", "/health/ready")
      expect(refused.status).toBe(503)
      expect(refused.text).toContain("stopping")
      for (const path of ["/health/live", "/openapi.json"]) {
        const answer = yield* send("GET", path)
        expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"])
      }
      yield* Deferred.succeed(drained, undefined)
      yield* Fiber.join(stopped).pipe(Effect.timeout("2 minutes"))
      expect(yield* listens).toBe(false)
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
)
