import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { login, sendJson, testNode } from "../support/TestApp.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"
import { expectError } from "./ErrorBody.ts"
import { holdActions } from "./HeldTable.ts"

const body = { name: "On one of two nodes", priority: 1, isActive: true }

const twoNodes = Effect.gen(function* () {
  const database = yield* Layer.build(TestDatabase)
  const node = Layer.build(testNode(Layer.succeedContext(database)))
  return [yield* node, Context.merge(yield* node, database)] as const
})

const create = (token: string, key: string) =>
  sendJson("POST", "/api/Actions", { token, headers: { "idempotency-key": key }, body })

it.live("Two nodes that share a database run a POST with an Idempotency-Key once", () =>
  Effect.gen(function* () {
    const [one, two] = yield* twoNodes
    const token = yield* login("acme-admin").pipe(Effect.provide(one))
    const answers = yield* Effect.all(
      Array.from({ length: 20 }, (_, index) =>
        create(token, "nodes").pipe(Effect.provide(index % 2 === 0 ? one : two))
      ),
      { concurrency: "unbounded" }
    )
    for (const { status } of answers) expect([201, 409]).toContain(status)
    expect(
      answers.filter(({ headers, status }) => status === 201 && !headers.has("idempotency-replayed"))
    ).toHaveLength(1)
    for (const node of [one, two]) {
      const again = yield* create(token, "nodes").pipe(Effect.provide(node))
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"])
    }
  }).pipe(Effect.scoped)
)

it.live("An Idempotency-Key in use on one node is not run on the other", () =>
  Effect.gen(function* () {
    const [one, two] = yield* twoNodes
    const token = yield* login("acme-admin").pipe(Effect.provide(one))
    const { letGo } = yield* holdActions.pipe(Effect.provide(two))
    const both = yield* Effect.forEach([one, two], (node) =>
      Effect.fork(create(token, "running").pipe(Effect.provide(node)))
    )
    // The embedded database belongs to one process: there the second request waits for the first.
    if (onPostgres) expectError(yield* Effect.raceAll(both), 409, /still running/)
    yield* letGo
    const answers = yield* Effect.all(both)
    const outcomes = answers.map(({ headers, status }) => [status, headers.get("idempotency-replayed")])
    expect(outcomes).toContainEqual([201, null])
    expect(outcomes).toContainEqual(onPostgres ? [409, null] : [201, "true"])
  }).pipe(Effect.scoped)
)
