import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Blobs that are gone, and whose bytes may still be in the store: nothing can refer to them any more, so that nobody
    -- need hold a transaction while the store is asked. The row goes when the store has answered.
    create table blob_removal (
      customer_id integer not null references customer,
      about_blob uuid not null,
      created_at timestamptz not null default now(),
      primary key (customer_id, about_blob)
    );
  `)
})
