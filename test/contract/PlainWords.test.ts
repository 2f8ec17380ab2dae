import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Operation, operations, resolved } from "../support/Endpoints.ts"
import { sendJson, testApp, tokenOf } from "../support/TestApp.ts"

const propertiesOf = ({ spec: { requestBody } }: Operation) =>
  Object.entries(Object(resolved(requestBody?.content["application/json"]?.schema)["properties"]))

const withBody = operations.filter((operation) => propertiesOf(operation).length > 0)

interface Detail {
  readonly path: string
  readonly message: string
}

const detailsIn = (json: unknown): ReadonlyArray<Detail> => Object(json).details ?? []

layer(testApp(), { excludeTestServices: true })("The refusal of a wrong body", (it) => {
  it.effect("says what to change, not what the field is for", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const told = new Set<string>()
      for (const operation of withBody) {
        const properties = propertiesOf(operation)
        const path = operation.path.replaceAll(/\{\w+\}/g, "1")
        for (const wrong of [{ a: {} }, [[]], "\u0000", 2 ** 40, 0.5, true, Array.from({ length: 600 }, () => 1)]) {
          const body = Object.fromEntries(properties.map(([name]) => [name, wrong]))
          const { json } = yield* sendJson(operation.method.toUpperCase(), path, { token, body })
          for (const detail of detailsIn(json)) {
            told.add(`${operation.id} ${detail.path}`)
            const { description } = Object(Object.fromEntries(properties)[detail.path])
            const where = `${operation.id}: ${detail.path} ${detail.message}`
            if (String(description).includes(" ")) expect(detail.message, where).not.toContain(description)
            expect(detail.message, where).toMatch(/^[a-z]/)
          }
        }
      }
      expect(told.size).toBeGreaterThan(200)
    })
  )
})
