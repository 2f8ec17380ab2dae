import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Records which room an AI run is about, so that it is deleted with the room, as with a message. Older runs can be
 * matched only if their notes are still those of exactly one room.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    alter table ai_run add column place_description_room_id integer,
      add foreign key (customer_id, place_description_room_id)
        references place_description_room (customer_id, place_description_room_id) on delete cascade;
    update ai_run r set place_description_room_id = room.id
    from (
      select customer_id, name, btrim(transcript_raw, E' \\t\\r\\n') as notes, min(place_description_room_id) as id
      from place_description_room group by 1, 2, 3 having count(*) = 1) room
    where r.purpose = 'Transform' and r.customer_id = room.customer_id
      and r.prompt_input ->> 'roomName' = room.name and r.prompt_input ->> 'transcript' = room.notes;
    create index ai_run_room on ai_run (customer_id, place_description_room_id)
      where place_description_room_id is not null;
  `)
})
