import { HttpServerResponse } from "@effect/platform"
import { Effect, type Schema } from "effect"

/** Responds with 201 and the address of the created resource. */
export const created = <A, I>(schema: Schema.Schema<A, I>, location: (value: A) => string) => {
  const respond = HttpServerResponse.schemaJson(schema)
  return <E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(effect, (value) =>
      Effect.orDie(respond(value, { status: 201, headers: { location: location(value) } }))
    )
}
