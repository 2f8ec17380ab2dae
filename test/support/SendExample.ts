import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { Endpoint } from "./Endpoints.ts"
import { fillPath } from "./Endpoints.ts"
import { exampleForm } from "./ExampleBody.ts"
import type { Person } from "./KnownIds.ts"
import { login, send } from "./TestApp.ts"

/** A demo user with its token and its customer. */
export const person = (
  username: string
): Effect.Effect<Person, never, Effect.Effect.Context<ReturnType<typeof find>>> => find(username).pipe(Effect.orDie)

const find = (username: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [rep] = yield* sql<{ customerID: number }>`
      /* all customers: a username is unique over all */
      select customer_id as "customerID" from customer_rep where username = ${username}`
    if (rep === undefined) return yield* Effect.dieMessage(`There is no demo user ${username}`)
    return { username, token: yield* login(username), customerID: rep.customerID }
  })

/** For words in a path that are not ids, such as a language. */
const wordFor = "en"

/** The path of an endpoint; parameters without a given value become a word. */
export const pathOf = (endpoint: Endpoint, ids: Readonly<Record<string, string | number>>) =>
  fillPath(endpoint, {
    ...Object.fromEntries(endpoint.parameters.map(({ name }) => [name, wordFor])),
    ...ids
  })

/** Sends an endpoint's request with a JSON body, or as an upload where the endpoint takes one. */
export const sendTo = (
  endpoint: Endpoint,
  options: {
    readonly ids?: Readonly<Record<string, string | number>>
    readonly query?: string
    readonly body?: unknown
    readonly token?: string
    readonly headers?: Readonly<Record<string, string>>
  }
) => {
  const hasBody = Option.isSome(endpoint.payload) && endpoint.method !== "GET"
  return send(endpoint.method, pathOf(endpoint, options.ids ?? {}) + (options.query ?? ""), {
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(hasBody && !endpoint.isMultipart && { "content-type": "application/json" }),
      ...options.headers
    },
    ...(hasBody && { body: endpoint.isMultipart ? exampleForm(endpoint) : JSON.stringify(options.body) })
  })
}
