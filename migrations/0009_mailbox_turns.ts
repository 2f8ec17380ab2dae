import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Which nodes may send the provider requests about a mailbox at the moment. A turn that is not renewed expires.
    -- These rows do not survive a crash of the database, and need not.
    create unlogged table mailbox_turn (
      mailbox text not null,
      number integer not null,
      node uuid not null,
      ends_at timestamptz not null,
      primary key (mailbox, number)
    );

    -- Nodes that wait for a turn, so that the others leave some to them.
    create unlogged table mailbox_wish (
      mailbox text not null,
      node uuid not null,
      ends_at timestamptz not null,
      primary key (mailbox, node)
    );
  `)
})
