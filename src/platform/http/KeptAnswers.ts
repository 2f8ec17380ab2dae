import { HttpServerResponse } from "@effect/platform"
import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Conflict, stillRunning, UnprocessableEntity } from "../../../schema/Errors.ts"
import { CustomerID } from "../../../schema/Ids.ts"
import type { Retention } from "../queue/Retention.ts"

export const idempotencyRetention: Retention = { table: "idempotency", since: "created_at", for: "24 hours" }

/** What a key applies to. */
export const KeyScope = Schema.Struct({
  customerID: CustomerID,
  method: Schema.String,
  path: Schema.String,
  key: Schema.String
})
export type KeyScope = typeof KeyScope.Type

const Answer = Schema.Struct({
  requestHash: Schema.String,
  status: Schema.Int,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.String
})
type KeptAnswer = typeof Answer.Type

export const notAnsweredYet = Conflict.of(stillRunning)

const keptHeaders = ["content-type", "location"]

const toAnswer = (requestHash: string, response: HttpServerResponse.HttpServerResponse): KeptAnswer => ({
  requestHash,
  status: response.status,
  headers: Object.fromEntries(Object.entries(response.headers).filter(([name]) => keptHeaders.includes(name))),
  body: response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""
})

const replay = (answer: KeptAnswer) => {
  const headers = { ...answer.headers, "idempotency-replayed": "true" }
  return answer.body === ""
    ? HttpServerResponse.empty({ status: answer.status, headers })
    : HttpServerResponse.text(answer.body, {
        status: answer.status,
        headers,
        contentType: answer.headers["content-type"] ?? "application/json"
      })
}

/** Replays the kept response if it belongs to the same request: one with the same hash, by any of the secrets. */
export const replayTo = (answer: KeptAnswer, hashes: ReadonlyArray<string>) =>
  hashes.includes(answer.requestHash)
    ? Effect.succeed(replay(answer))
    : UnprocessableEntity.of(
        "This Idempotency-Key was already used with another body, another query or another role. Use a new key."
      )

/** The responses that are kept for replay. */
export const makeKeptAnswers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = SqlSchema.findOne({
    Request: KeyScope,
    Result: Answer,
    execute: (_) => sql`
      select request_hash as "requestHash", status, headers, body from idempotency
      where customer_id = ${_.customerID} and method = ${_.method} and path = ${_.path} and key = ${_.key}
        and created_at > now() - interval '24 hours'`
  })

  const insert = SqlSchema.void({
    Request: Schema.Struct({ ...KeyScope.fields, ...Answer.fields }),
    execute: (_) => sql`
      insert into idempotency (customer_id, method, path, key, request_hash, status, headers, body)
      values (${_.customerID}, ${_.method}, ${_.path}, ${_.key}, ${_.requestHash}, ${_.status},
        ${JSON.stringify(_.headers)}::jsonb, ${_.body})
      on conflict (customer_id, method, path, key) do update set request_hash = excluded.request_hash,
        status = excluded.status, headers = excluded.headers, body = excluded.body, created_at = now()`
  })

  return {
    find: (scope: KeyScope) => Effect.orDie(find(scope)),

    /** An error response is not kept, which frees the key. */
    keep: (scope: KeyScope, requestHash: string, response: HttpServerResponse.HttpServerResponse) =>
      Effect.when(insert({ ...scope, ...toAnswer(requestHash, response) }), () => response.status < 400).pipe(
        Effect.orDie,
        Effect.asVoid
      ),

    /**
     * Locks the key on all nodes until the transaction ends, or the process dies. Returns the response that is kept by
     * then, if there is one: the request must not run again.
     */
    claim: (scope: KeyScope, lock: string) =>
      Effect.gen(function* () {
        const [row] = yield* Effect.orDie(
          sql<{ free: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as free`
        )
        return row?.free === true ? yield* Effect.orDie(find(scope)) : yield* notAnsweredYet
      })
  }
})
