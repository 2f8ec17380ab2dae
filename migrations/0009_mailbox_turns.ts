import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- Which nodes may ask the provider about a mailbox at the moment. A turn that its node does not renew ends by
    -- itself. Nothing here outlives a crash of the database, and nothing needs to.
    create unlogged table mailbox_turn (
      mailbox text not null,
      number integer not null,
      node uuid not null,
      ends_at timestamptz not null,
      primary key (mailbox, number)
    );

    -- Which nodes wait for a turn, so that the others leave them some.
    create unlogged table mailbox_wish (
      mailbox text not null,
      node uuid not null,
      ends_at timestamptz not null,
      primary key (mailbox, node)
    );
  `)
})
