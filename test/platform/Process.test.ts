import { connect } from "node:net"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, login } from "../faults/Api.ts"
import { eventually } from "../support/Eventually.ts"
import { root } from "../support/Processes.ts"
import { startService } from "../support/ServiceProcess.ts"
import { sharedData } from "../support/SharedData.ts"

const start = Effect.flatMap(sharedData, (data) => startService({ ...data, DEMO: "true" }, { root }))

/** A login of which the service has received the first half. */
const halfSent = (base: string) =>
  Effect.async<{ readonly finish: Effect.Effect<string> }>((resume) => {
    const { hostname, port } = new URL(base)
    const body = JSON.stringify({ username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" })
    const head = `POST /api/Auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`
    const socket = connect(Number(port), hostname)
    let answer = ""
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    const finish = Effect.promise(async () => {
      socket.write(body.slice(10))
      await ended
      return answer
    })
    socket.on("error", () => undefined)
    socket.on("data", (chunk) => {
      if (answer === "") resume(Effect.succeed({ finish }))
      answer += chunk.toString()
    })
    socket.write(head)
    socket.write(body.slice(0, 10))
  })

it.live("A process that is told to stop twice at once, as npm does on Ctrl-C, finishes what is under way", () =>
  Effect.gen(function* () {
    const service = yield* start
    const request = yield* halfSent(service.base)
    yield* service.signal("SIGINT")
    yield* eventually(
      Effect.promise(() =>
        fetch(`${service.base}/health/ready`).then(
          ({ status }) => status,
          () => 0
        )
      ),
      (status) => status !== 200,
      "1 minute"
    )
    yield* service.signal("SIGINT")
    expect(yield* request.finish).toContain("200 OK")
    expect(yield* service.ended).toBe(0)
  }).pipe(Effect.scoped)
)

it.live("A process whose output nobody reads goes on answering", () =>
  Effect.gen(function* () {
    const service = yield* start
    yield* service.stopReading
    const token = yield* login(service.base)
    for (let count = 0; count < 20; count++) {
      expect((yield* ask(service.base, "GET", "/api/Topics", { token })).status).toBe(200)
    }
    expect(yield* service.stop).toBe(0)
  }).pipe(Effect.scoped)
)

it.live("A process whose parent ends stops in order", () =>
  Effect.gen(function* () {
    const service = yield* start
    yield* service.abandon
    expect(yield* service.ended).toBe(0)
  }).pipe(Effect.scoped)
)
