import { expect, layer } from "@effect/vitest"
import { Effect, Option, Predicate, Schema } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import { type Operation, operations, resolved } from "../support/Endpoints.ts"
import { field } from "../support/Fields.ts"
import { sendJson, testApp, tokenOf } from "../support/TestApp.ts"

const propertiesOf = ({ spec: { requestBody } }: Operation) => {
  const schema = requestBody?.content["application/json"]?.schema
  const properties = schema === undefined ? undefined : resolved(schema)["properties"]
  return Predicate.isReadonlyRecord(properties) ? Object.entries(properties) : []
}

const withBody = operations.filter((operation) => propertiesOf(operation).length > 0)

const refusalIn = Schema.decodeUnknownOption(BadRequest)

const detailsIn = (json: unknown) =>
  Option.match(refusalIn(json), { onNone: () => [], onSome: ({ details = [] }) => details })

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
            const description = field(Object.fromEntries(properties)[detail.path], "description")
            const where = `${operation.id}: ${detail.path} ${detail.message}`
            if (String(description).includes(" ")) expect(detail.message, where).not.toContain(description)
            expect(detail.message, where).toMatch(/^[a-z]/)
            expect(detail.message, where).not.toMatch(/must be (?:one of )?(?:string|number|boolean)\b/)
          }
        }
      }
      expect(told.size).toBeGreaterThan(200)
    })
  )
})
