import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- What belongs to this database and lies outside of it, as the first start found it: a later one that comes with
    -- another key, or looks for the files elsewhere, is stopped before it does harm.
    create table installation (
      name text primary key,
      value text not null
    );
  `)
})
