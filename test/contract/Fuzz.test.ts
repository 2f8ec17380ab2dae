import { expect, layer } from "@effect/vitest"
import { Effect, FastCheck as fc, Schema } from "effect"
import { ProblemDetail } from "../../schema/Errors.ts"
import { type Endpoint, endpoints } from "../support/Endpoints.ts"
import { seed } from "../support/Seed.ts"
import { type Answer, login, send, testApp } from "../support/TestApp.ts"
import { type FuzzRequest, fuzzRequests } from "./FuzzInput.ts"

const requestsInAll = 2_050

const ErrorBody = Schema.Struct({
  status: Schema.Int,
  error: Schema.NonEmptyString,
  message: Schema.NonEmptyString,
  requestId: Schema.NonEmptyString,
  details: Schema.optionalWith(Schema.Array(Schema.typeSchema(Schema.Struct(ProblemDetail.fields))), { exact: true })
})

const isErrorBody = Schema.is(ErrorBody)

const decodeError = Schema.decodeUnknownEither(ErrorBody, { onExcessProperty: "error" })

// Words that only the internals of the service contain.
const leaks = /node_modules|\.ts:\d|\bat \w+ \(|\bselect\s.+\sfrom\b|pg_|postgres|stack/i

/** What is wrong with a response; undefined when nothing is. */
const faultOf = ({ headers, json, status, text }: Answer): string | undefined => {
  if (status < 400) return undefined
  if (status === 500) return "answered 500"
  if (!isErrorBody(json) || decodeError(json)._tag === "Left") return "has no well-formed error body"
  if (json.status !== status) return "names another status in its body"
  if (json.requestId !== headers.get("x-request-id")) return "names another request id in its body"
  // With details the message may repeat what the caller sent; otherwise it must show no internals.
  return json.details === undefined && leaks.test(text) ? "tells of the inside" : undefined
}

const describe = (endpoint: Endpoint, request: FuzzRequest, answer: Answer, fault: string) =>
  `${endpoint.id} ${fault}, seed ${seed}\n${endpoint.method} ${request.path.slice(0, 500)} ${JSON.stringify(request.headers)}\n${request.body?.slice(0, 1000)}\n${answer.status} ${answer.text.slice(0, 1000)}`

/** Generating wrong values often throws internally; capturing those stacks would take half of the time. */
const withoutStacks = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const usual = Error.stackTraceLimit
      Error.stackTraceLimit = 0
      return usual
    }),
    () => effect,
    (usual) => Effect.sync(() => (Error.stackTraceLimit = usual))
  )

layer(testApp(), { excludeTestServices: true })("Random requests", (it) => {
  it.effect(
    "never break the service",
    () =>
      Effect.gen(function* () {
        const token = yield* login("acme-admin")
        const each = Math.ceil(requestsInAll / endpoints.length)
        let address = 0
        let sent = 0
        const statuses = new Map<number, number>()
        const ask = (endpoint: Endpoint, request: FuzzRequest) =>
          Effect.gen(function* () {
            address += 1
            const answer = yield* send(endpoint.method, request.path, {
              headers: {
                "content-type": "application/json",
                authorization: `Bearer ${token}`,
                "x-platform-key": "test-platform-key",
                // Each request has an address of its own, so that no throttle hides the code after it.
                "x-forwarded-for": `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`,
                ...request.headers
              },
              ...(request.body !== undefined && { body: request.body })
            })
            sent += 1
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
            const fault = faultOf(answer)
            return fault === undefined ? [] : [describe(endpoint, request, answer, fault)]
          })
        const requests = Effect.sync(() =>
          endpoints.flatMap((endpoint) =>
            fc.sample(fuzzRequests(endpoint), { seed, numRuns: each }).map((request) => ({ endpoint, request }))
          )
        )
        const faults = yield* Effect.forEach(
          yield* withoutStacks(requests),
          ({ endpoint, request }) => ask(endpoint, request),
          { concurrency: 16 }
        )
        expect(faults.flat().slice(0, 5).join("\n\n")).toBe("")
        expect(sent).toBeGreaterThanOrEqual(2_000)
        // A run that meets nothing but refusals would prove nothing.
        for (const status of [200, 201, 204, 400, 404])
          expect(statuses.get(status), `some ${status}`).toBeGreaterThan(0)
        expect((yield* send("GET", "/health/ready")).status).toBe(200)
      }),
    900_000
  )
})
