import type { SqlClient, SqlError } from "@effect/sql"
import type { Effect } from "effect"
import foundation from "./0001_foundation.ts"
import knowledge from "./0002_knowledge.ts"

/** Every migration in order. A test compares this list with the folder. */
export const migrations: Readonly<Record<string, Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>>> = {
  "0001_foundation": foundation,
  "0002_knowledge": knowledge
}
