import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- What belongs to this database but is stored outside of it, as the first start found it. A later start with
    -- another key, or with another place for the files, is refused before it does harm.
    create table installation (
      name text primary key,
      value text not null
    );
  `)
})
