import { createHmac } from "node:crypto"
import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { SqlClient, SqlSchema } from "@effect/sql"
import { Array as Arr, Effect, Option, Redacted, Schema } from "effect"
import { BadRequest, Conflict, UnprocessableEntity } from "../../../schema/Errors.ts"
import { CustomerID } from "../../../schema/Ids.ts"
import { Settings } from "../Settings.ts"
import type { App } from "./Routes.ts"

const Scope = Schema.Struct({
  customerID: CustomerID,
  method: Schema.String,
  path: Schema.String,
  key: Schema.String
})

const Answer = Schema.Struct({
  requestHash: Schema.String,
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.String
})

const stillRunning = Conflict.of("A request with this Idempotency-Key is still running. Try again in a moment.")

const keptHeaders = ["content-type", "location"]

const toAnswer = (requestHash: string, response: HttpServerResponse.HttpServerResponse): typeof Answer.Type => ({
  requestHash,
  status: response.status,
  headers: Object.fromEntries(Object.entries(response.headers).filter(([name]) => keptHeaders.includes(name))),
  body: response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""
})

const replay = (answer: typeof Answer.Type) => {
  const headers = { ...answer.headers, "idempotency-replayed": "true" }
  return answer.body === ""
    ? HttpServerResponse.empty({ status: answer.status, headers })
    : HttpServerResponse.text(answer.body, {
        status: answer.status,
        headers,
        contentType: answer.headers["content-type"] ?? "application/json"
      })
}

/** Who sends a key. What one role was answered is not replayed to another, which may not be allowed to have it. */
export interface KeyOwner {
  readonly customerID: CustomerID
  readonly role: string
}

/**
 * Does a POST once. The key, the answer and everything the handler writes are one transaction: whatever fails, or a
 * process that dies in the middle, leaves neither the effect nor the key behind.
 */
export const makeIdempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { secretsKeys } = yield* Settings
  const running = new Set<string>()

  const find = SqlSchema.findOne({
    Request: Scope,
    Result: Answer,
    execute: (_) => sql`
      select request_hash as "requestHash", status, headers, body from idempotency
      where customer_id = ${_.customerID} and method = ${_.method} and path = ${_.path} and key = ${_.key}
        and created_at > now() - interval '24 hours'`
  })
  const keep = SqlSchema.void({
    Request: Schema.Struct({ ...Scope.fields, ...Answer.fields }),
    execute: (_) => sql`
      insert into idempotency (customer_id, method, path, key, request_hash, status, headers, body)
      values (${_.customerID}, ${_.method}, ${_.path}, ${_.key}, ${_.requestHash}, ${_.status},
        ${JSON.stringify(_.headers)}::jsonb, ${_.body})
      on conflict (customer_id, method, path, key) do update set request_hash = excluded.request_hash,
        status = excluded.status, headers = excluded.headers, body = excluded.body, created_at = now()`
  })

  /** Keyed, since a body may hold a password: by the current key first, then by those it replaced. */
  const hashesOf = (text: string) =>
    Arr.map(secretsKeys, (key) => createHmac("sha256", Redacted.value(key)).update(text).digest("base64url"))

  const once = (app: App, scope: typeof Scope.Type, hashes: Arr.NonEmptyArray<string>, lock: string): App =>
    Effect.gen(function* () {
      // The lock ends with the transaction, also when the process dies. It stands for this key on every node.
      const [row] = yield* sql<{ free: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as free`
      if (row?.free !== true) return yield* stillRunning
      const known = yield* find(scope)
      if (Option.isSome(known)) {
        return hashes.includes(known.value.requestHash)
          ? replay(known.value)
          : yield* UnprocessableEntity.of("This Idempotency-Key was used before with another body. Use a new key.")
      }
      const response = yield* app
      if (response.status < 400) yield* keep({ ...scope, ...toAnswer(hashes[0], response) })
      return response
    }).pipe(sql.withTransaction)

  return (app: App, request: HttpServerRequest.HttpServerRequest, { customerID, role }: KeyOwner, key: string): App =>
    Effect.gen(function* () {
      if (key.length < 1 || key.length > 255)
        return yield* BadRequest.of("Idempotency-Key must have 1 to 255 characters.")
      const [path = "", query = ""] = request.url.split("?")
      const scope = { customerID, method: request.method, path: path.replace(/\/+$/, "").toLowerCase(), key }
      const lock = JSON.stringify(scope)
      const hashes = hashesOf(JSON.stringify([role, query, yield* request.text]))
      if (running.has(lock)) return yield* stillRunning
      return yield* Effect.acquireUseRelease(
        Effect.sync(() => running.add(lock)),
        () => once(app, scope, hashes, lock),
        () => Effect.sync(() => running.delete(lock))
      )
    })
})
