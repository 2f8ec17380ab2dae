import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Deleted blobs whose bytes may still be in the store. Nothing can refer to them any more, so no transaction has to
    -- stay open while the store works. The row is deleted when the store has responded.
    create table blob_removal (
      customer_id integer not null references customer,
      about_blob uuid not null,
      created_at timestamptz not null default now(),
      primary key (customer_id, about_blob)
    );
  `)
})
