import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"

const isPostgres = (sql: SqlClient.SqlClient): sql is PgClient.PgClient => PgClient.TypeId in sql

/** The client with what only a PostgreSQL server can do; none for the embedded database. */
export const postgresClient = Effect.map(SqlClient.SqlClient, Option.liftPredicate(isPostgres))
