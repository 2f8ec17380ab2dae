import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Customers that were or are being removed: no node accepts their tokens, not even one that starts later.
    create table removed_customer (
      -- Without a reference, because it outlives the customer by a day.
      about_customer integer primary key,
      removed_at timestamptz not null default now()
    );
  `)
})
