import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Whether the service itself found a folder by its type, or somebody named it by its id. Of those from before, only the
 * one that the service makes for a channel without folders surely leads to the inbox. Others show an error once the
 * provider no longer knows them, until somebody clears their externalFolderID.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    alter table channel_folder add column is_located_by_type boolean not null default false;

    /* all customers: a migration */
    update channel_folder set is_located_by_type = true
      where name = 'Inbox' and folder_type = 'Inbox' and parent_folder_id is null and external_folder_id is not null;
  `)
})
