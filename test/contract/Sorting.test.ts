import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Operation, operations, resolved } from "../support/Endpoints.ts"
import { fieldsOf, listIn } from "../support/Fields.ts"
import { clientOf, send, testApp, tokenOf } from "../support/TestApp.ts"

const itemsOf = ({ spec: operation }: Operation) => {
  const page = resolved(operation.responses[200]?.content?.["application/json"]?.schema)
  return resolved(resolved(fieldsOf(page["properties"])["items"])["items"])
}

const itemsIn = (page: string) => listIn(JSON.parse(page), "items").map(fieldsOf)

const lists = operations.filter(({ spec: { parameters } }) => parameters.some(({ name }) => name === "sortBy"))

/** A list with demo data: an empty one would sort nothing. */
const addressOf = (path: string) => `${path.replace("{id}", "1")}?ticketId=1&pageSize=200`

layer(testApp(), { excludeTestServices: true })("Every list", (it) => {
  it.effect("can be sorted by any field that its items have", () =>
    Effect.gen(function* () {
      expect(lists.length).toBeGreaterThan(10)
      const headers = { authorization: `Bearer ${yield* tokenOf("acme-admin")}` }
      const mixed: Array<string> = []
      for (const list of lists) {
        const fields = Object.keys(fieldsOf(itemsOf(list)["properties"]))
        expect(fields.length, list.path).toBeGreaterThan(2)
        for (const field of fields) {
          const { status, text } = yield* send("GET", `${addressOf(list.path)}&sortBy=${field}`, { headers })
          expect([status, text], `${list.path} by ${field}`).toEqual([200, expect.stringContaining("items")])
          const isEmpty = itemsIn(text).map((item) => item[field] === null)
          expect(isEmpty, `${list.path} by ${field}: what is empty comes first`).toEqual(
            [...isEmpty].sort((one, other) => Number(other) - Number(one))
          )
          if (isEmpty.includes(true) && isEmpty.includes(false)) mixed.push(`${list.path} by ${field}`)
        }
      }
      expect(mixed.length).toBeGreaterThan(10)
    })
  )

  it.effect("sorts tickets by the names of their topics, those without any first", () =>
    Effect.gen(function* () {
      const { tickets } = yield* clientOf("acme-admin")
      const sorted = (sortOrder: "asc" | "desc") =>
        Effect.map(tickets.listTickets({ urlParams: { sortBy: "topics", sortOrder, pageSize: 200 } }), ({ items }) =>
          items.map(({ topics }) => JSON.stringify(topics).toLowerCase().replace("[]", ""))
        )
      const upwards = yield* sorted("asc")
      expect(new Set(upwards).size).toBeGreaterThan(2)
      expect(upwards).toEqual([...upwards].sort())
      expect(yield* sorted("desc")).toEqual([...upwards].reverse())
    })
  )
})
