import { Effect } from "effect"
import { sameDatabase } from "./SameDatabase.ts"
import { testNode } from "./TestApp.ts"

/** Runs an effect against a second node that shares only the database with the current one. */
export const onAnotherNode =
  (overrides: Readonly<Record<string, string>> = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(sameDatabase, (database) => Effect.provide(effect, testNode(database, overrides)))
