import { describe, expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations, resolved } from "../support/Endpoints.ts"
import { fieldsOf, listIn } from "../support/Fields.ts"
import { quietApp, sendJson, tokenOf } from "../support/TestApp.ts"

/** Where a body may hold any number of lists' items or of names, as paths. */
const endless = (schema: unknown, path: string): ReadonlyArray<string> => {
  const { additionalProperties, anyOf, items, maxItems, maxProperties, properties } = resolved(schema)
  const below = [
    ...(Array.isArray(anyOf) ? anyOf.flatMap((one: unknown) => endless(one, path)) : []),
    ...Object.entries(fieldsOf(properties ?? {})).flatMap(([name, inner]) => endless(inner, `${path}.${name}`)),
    ...(items === undefined ? [] : endless(items, `${path}[]`))
  ]
  const isOpen = additionalProperties !== undefined && typeof additionalProperties === "object"
  return (items !== undefined && maxItems === undefined) || (isOpen && maxProperties === undefined)
    ? [path, ...below]
    : below
}

describe("The lists of request bodies", () => {
  it("have a limit, unless nothing is said about their items", () => {
    const found = operations.flatMap(({ id, spec }) =>
      endless(fieldsOf(fieldsOf(spec.requestBody?.content ?? {})["application/json"] ?? {})["schema"] ?? {}, id)
    )
    // The mail provider's notifications are read one by one, and a wrong one is passed over.
    expect(found).toEqual(["mailWebhook.receiveMailNotifications.value"])
  })
})

/** As many as fit into a body of one mebibyte. */
const many = (item: unknown) => Array.from({ length: item === 0 ? 524_000 : 349_000 }, () => item)

const bodies = [
  { method: "POST", path: "/api/TopicActions/bulk", body: many({}), at: "", most: 500 },
  { method: "POST", path: "/api/HookActions/bulk", body: many(0), at: "", most: 500 },
  { method: "PUT", path: "/tickets/bulk", body: { TICKETIDS: many(0) }, at: "ticketIDs", most: 10_000 },
  { method: "POST", path: "/api/EndUsers", body: { UIDs: many(0) }, at: "UIDs", most: 100 },
  { method: "POST", path: "/ticketMessages/1/correct-topics", body: { topicIds: many(0) }, at: "topicIds", most: 500 },
  {
    method: "PUT",
    path: "/api/PlaceDescriptionRooms/1/photos/reorder",
    body: { photoIds: many(0) },
    at: "photoIds",
    most: 10_000
  },
  {
    method: "POST",
    path: "/api/Documents/1/retrieve",
    body: { variables: { ...many(0).slice(0, 90_000) } },
    at: "variables",
    most: 1000
  }
]

layer(quietApp(), { excludeTestServices: true })("A body with half a million wrong items", (it) => {
  it.effect("is refused for their number alone", () =>
    Effect.forEach(bodies, ({ at, body, method, most, path }) =>
      Effect.gen(function* () {
        const token = yield* tokenOf(path.includes("Place") ? "initech-admin" : "acme-admin")
        const refused = yield* sendJson(method, path, { token, body })
        expect(refused).toMatchObject({
          status: 400,
          json: { details: [{ path: at, message: expect.stringContaining(String(most)) }] }
        })
        expect(listIn(refused.json, "details")).toHaveLength(1)
      })
    )
  )
})
