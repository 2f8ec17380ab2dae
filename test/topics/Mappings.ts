import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID, DocumentID } from "../../schema/Ids.ts"
import { client, clientOf, sendJson } from "../support/TestApp.ts"

export type Username = "acme-admin" | "acme-agent" | "globex-admin"

/** A name that no other test uses. */
export const fresh = (name: string) => `${name} ${randomUUID().slice(0, 8)}`

export const newTopic = (username: Username, name = fresh("Topic")) =>
  Effect.gen(function* () {
    const { topics } = yield* clientOf(username)
    return yield* topics.createTopic({ payload: { name } })
  })

export const newAction = (username: Username, name = fresh("Action"), isActive = true) =>
  Effect.gen(function* () {
    const { actions } = yield* clientOf(username)
    return yield* actions.createAction({ payload: { name, priority: 1, isActive } })
  })

const customerOf = (username: Username) => {
  const name = username === "globex-admin" ? "Globex Support" : "Acme Rentals"
  return Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ customerID: number }>`select customer_id as "customerID" from customer where name = ${name}`
  ).pipe(Effect.flatMap(([row]) => Effect.fromNullable(row?.customerID)))
}

export const newDocument = (username: Username) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const customerID = yield* customerOf(username)
    const [row] = yield* sql<{ id: number }>`
      insert into document (customer_id, name, is_data_retrieval_process)
      values (${customerID}, ${fresh("Document")}, false) returning document_id as id`
    return DocumentID.make(yield* Effect.fromNullable(row?.id))
  })

export const newChannel = (
  username: Username,
  channelType: ChannelType = "Email",
  { isDeleted = false, name = fresh("Channel") } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const customerID = yield* customerOf(username)
    const [row] = yield* sql<{ id: number }>`
      insert into channel (customer_id, channel_type, name, deleted_at)
      values (${customerID}, ${channelType}, ${name}, ${isDeleted ? new Date() : null}) returning channel_id as id`
    return ChannelID.make(yield* Effect.fromNullable(row?.id))
  })

export const phoneToken = Effect.gen(function* () {
  const { auth } = yield* client()
  const { token } = yield* auth.phoneLogin({ payload: { accountSid: "ACdemo0000acme", phoneNumber: "+15550100" } })
  return token
})

interface Problem {
  readonly path: string
}

const hasDetails = (json: unknown): json is { readonly details: ReadonlyArray<Problem> } =>
  typeof json === "object" && json !== null && "details" in json && Array.isArray(json.details)

/** Sends a request that must be refused with 400, and returns the paths that the refusal names. */
export const refusedPaths = (method: string, path: string, token: string, body?: unknown) =>
  Effect.gen(function* () {
    const { json, status, text } = yield* sendJson(method, path, { token, body })
    if (status !== 400) return yield* Effect.dieMessage(`${method} ${path} answered ${status}: ${text}`)
    return hasDetails(json) ? json.details.map((problem) => problem.path) : []
  })
