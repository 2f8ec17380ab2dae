import { createHmac } from "node:crypto"
import { HttpServerRequest, type HttpServerResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Array as Arr, Deferred, Effect, Fiber, Option, Redacted, Stream } from "effect"
import { BadRequest } from "../../../schema/Errors.ts"
import type { CustomerID } from "../../../schema/Ids.ts"
import { inTransaction } from "../database/InTransaction.ts"
import { LastTransaction, type Transact } from "../database/LastTransaction.ts"
import { Settings } from "../settings/Settings.ts"
import { FormDigest } from "./FormDigest.ts"
import { type KeyScope, makeKeptAnswers, notAnsweredYet, replayTo } from "./KeptAnswers.ts"
import type { NodeRequest } from "./NodeRequest.ts"
import type { App } from "./Routes.ts"

/** The owner of a key. A response to one role is not replayed to another, which may not be allowed to see it. */
export interface KeyOwner {
  readonly customerID: CustomerID
  readonly role: string
}

/** A request with its key. */
interface Keyed {
  readonly scope: KeyScope
  /** The same text for the same key, on every node. */
  readonly lock: string
  /** Keyed hashes, since a body may hold a password: with the current secret first, then with those it replaced. */
  readonly hashesOf: (body: string) => Arr.NonEmptyArray<string>
}

/**
 * Another node has responded to the same request while this one was still reading it. A defect, since it passes through
 * a handler that knows nothing of keys and must not have it among its errors.
 */
class AnsweredMeanwhile {
  constructor(readonly response: HttpServerResponse.HttpServerResponse) {}
}

/**
 * Runs a POST once. The key, the response and everything the handler writes are one transaction: a failure, or a
 * process that dies halfway, leaves neither the effect nor the key behind.
 */
export const makeIdempotency = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { secretsKeys } = yield* Settings
  const answers = yield* makeKeptAnswers
  const running = new Set<string>()

  /** Runs one request of a key at a time on this node, without asking the database. */
  const alone = (lock: string, app: App): App =>
    Effect.acquireUseRelease(
      // Checks and marks in one step: between two steps another fiber could run.
      Effect.sync(() => {
        const isOurs = !running.has(lock)
        running.add(lock)
        return isOurs
      }),
      (isOurs) => (isOurs ? app : notAnsweredYet),
      (isOurs) => Effect.sync(() => isOurs && running.delete(lock))
    )

  /** For a text body: it is read first, and everything done with it is one transaction. */
  const once = (app: App, body: string, { hashesOf, lock, scope }: Keyed): App => {
    const answered = Effect.gen(function* () {
      const hashes = hashesOf(body)
      const known = yield* answers.claim(scope, lock)
      if (Option.isSome(known)) return yield* replayTo(known.value, hashes)
      const response = yield* app
      yield* answers.keep(scope, hashes[0], response)
      return response
    })
    return sql.withTransaction(answered)
  }

  /**
   * For a form: it is read outside of the transaction, however long that takes, and its digest is known only
   * afterwards. The handler's last transaction waits for the response, and keeps it.
   */
  const onceRead = (app: App, reading: (digest: FormDigest) => NodeRequest, { hashesOf, lock, scope }: Keyed): App =>
    Effect.gen(function* () {
      const digest = new FormDigest()
      const request = reading(digest)
      const known = yield* answers.find(scope)
      if (Option.isSome(known)) {
        yield* Effect.orDie(Stream.runDrain(request.multipartStream))
        return yield* replayTo(known.value, hashesOf(digest.digest()))
      }
      const whileAnswering = yield* Effect.scope
      const answer = yield* Deferred.make<HttpServerResponse.HttpServerResponse>()
      let committed: Effect.Effect<void> = Effect.void
      const transact: Transact = <A, E, R>(work: Effect.Effect<A, E, R>, undo: Effect.Effect<void>) =>
        Effect.gen(function* () {
          const done = yield* Deferred.make<A, E>()
          const hashes = hashesOf(digest.digest())
          const transaction = Effect.gen(function* () {
            const meanwhile = yield* Effect.orDie(answers.claim(scope, lock))
            if (Option.isSome(meanwhile)) {
              return yield* Effect.die(new AnsweredMeanwhile(yield* Effect.orDie(replayTo(meanwhile.value, hashes))))
            }
            // The response is built from the result of the first try: there cannot be a second.
            if (!(yield* Deferred.succeed(done, yield* work))) return yield* Effect.dieMessage("Already answered")
            return yield* answers.keep(scope, hashes[0], yield* Deferred.await(answer))
          }).pipe(
            inTransaction(sql),
            Effect.onError(() => undo),
            Effect.onError((cause) => Deferred.failCause(done, cause))
          )
          committed = Effect.asVoid(Effect.orDie(Fiber.join(yield* Effect.forkIn(transaction, whileAnswering))))
          return yield* Deferred.await(done)
        })
      const response = yield* app.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.provideService(LastTransaction, Option.some(transact))
      )
      yield* Deferred.succeed(answer, response)
      yield* committed
      return response
    }).pipe(
      Effect.scoped,
      Effect.catchSomeDefect((defect) =>
        defect instanceof AnsweredMeanwhile ? Option.some(Effect.succeed(defect.response)) : Option.none()
      )
    )

  const keyed = (request: NodeRequest, { customerID, role }: KeyOwner, key: string): Keyed => {
    const [path = "", query = ""] = request.url.split("?")
    const scope = { customerID, method: request.method, path: path.replace(/\/+$/, "").toLowerCase(), key }
    return {
      scope,
      lock: JSON.stringify(scope),
      hashesOf: (body) => {
        const text = JSON.stringify([role, query, body])
        return Arr.map(secretsKeys, (secret) =>
          createHmac("sha256", Redacted.value(secret)).update(text).digest("base64url")
        )
      }
    }
  }

  return (
    app: App,
    request: NodeRequest,
    owner: KeyOwner,
    key: string,
    /** How to read a form: returns the request that feeds a digest as it is read. */
    readingForm: Option.Option<(digest: FormDigest) => NodeRequest>
  ): App => {
    if (key.length < 1 || key.length > 255) return BadRequest.of("Idempotency-Key must have 1 to 255 characters.")
    const known = keyed(request, owner, key)
    return Option.match(readingForm, {
      onNone: () => Effect.flatMap(request.text, (body) => alone(known.lock, once(app, body, known))),
      onSome: (reading) => alone(known.lock, onceRead(app, reading, known))
    })
  }
})
