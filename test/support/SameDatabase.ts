import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { InTransaction } from "../../src/platform/database/InTransaction.ts"

/** The database of the current node, and nothing else of it, for something that runs beside the node. */
export const sameDatabase = Effect.map(SqlClient.SqlClient, (sql) =>
  Layer.provideMerge(InTransaction.layer, Layer.succeed(SqlClient.SqlClient, sql))
)
