import { hash } from "node:crypto"
import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { PreconditionFailed } from "../../../schema/Errors.ts"
import { sqlState } from "../database/Violations.ts"
import type { App, Route } from "./Routes.ts"

const etagOf = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 200 && response.body._tag === "Uint8Array"
    ? Option.some(`"${hash("sha256", response.body.body, "base64url").slice(0, 27)}"`)
    : Option.none()

const lists = (header: string, etag: string) =>
  header.trim() === "*" ||
  header
    .split(",")
    .map((candidate) => candidate.trim())
    .includes(etag)

/** Whether If-None-Match lists an ETag; for reads, a weak one will do. */
export const listsETag = (header: string, etag: string) => lists(header.replaceAll('W/"', '"'), etag)

/** Adds a strong ETag to a single resource, and responds with 304 if the caller has it already. */
export const withETag = (app: App, request: HttpServerRequest.HttpServerRequest): App =>
  Effect.map(app, (response) =>
    Option.match(etagOf(response), {
      onNone: () => response,
      onSome: (etag) => {
        const known = request.headers["if-none-match"]
        return known !== undefined && listsETag(known, etag)
          ? HttpServerResponse.empty({ status: 304, headers: { etag } })
          : HttpServerResponse.setHeader(response, "etag", etag)
      }
    })
  )

const changed = () =>
  PreconditionFailed.of("The resource changed since you read it. Read it again, then repeat the change.")

/**
 * Runs a PUT or DELETE only if the resource is still what the caller read. The check and the change are one transaction
 * on one snapshot, in which PostgreSQL refuses to overwrite what another transaction has committed meanwhile.
 */
export const makeIfMatch = Effect.map(
  SqlClient.SqlClient,
  (sql) =>
    (
      app: App,
      current: App | undefined,
      route: Route,
      request: HttpServerRequest.HttpServerRequest,
      ifMatch: string
    ): App => {
      if (current === undefined) {
        // Any state of the resource will do, so it need not be read.
        if (ifMatch.trim() === "*") return app
        return PreconditionFailed.of("This resource has no ETag. Repeat the request without If-Match.")
      }
      const guarded = Effect.gen(function* () {
        yield* sql`set transaction isolation level repeatable read`
        const etag = etagOf(yield* current)
        if (!Option.exists(etag, (value) => lists(ifMatch, value))) return yield* changed()
        return yield* app
      })
      const change = sql
        .withTransaction(guarded)
        .pipe(
          Effect.catchAllCause((cause) =>
            Option.contains(sqlState(cause), "40001") ? changed() : Effect.failCause(cause)
          )
        )
      // A client that is slow to send the body must not hold a transaction open.
      return route.takes === "json" ? Effect.zipRight(request.text, change) : change
    }
)
