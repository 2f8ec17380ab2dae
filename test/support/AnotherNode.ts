import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { testNode } from "./TestApp.ts"

/** Runs an effect against a second node that shares only the database with the current one. */
export const onAnotherNode =
  (overrides: Readonly<Record<string, string>> = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.provide(effect, testNode(Layer.succeed(SqlClient.SqlClient, sql), overrides))
    )
