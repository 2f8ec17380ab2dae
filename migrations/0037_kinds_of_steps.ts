import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    -- How a step ended, apart from the text for people. Older nodes still write only the text.
    alter table pipeline_step add column kind text not null default 'Done'
      check (kind in ('Done', 'NotNeeded', 'InSpam', 'Wanting', 'Spam', 'Failed'));

    /* all customers: a migration */
    update pipeline_step set kind = case
        when outcome like 'Failed: %' then 'Failed'
        when outcome like 'Skipped: %' then 'Wanting'
        when outcome like 'Spam: %' then 'Spam'
        when outcome = 'The ticket is spam' then 'InSpam'
        else 'NotNeeded' end
      where outcome like any (array['Failed: %', 'Skipped: %', 'Spam: %'])
        or outcome in ('The ticket is spam', 'Not for this message', 'No topics');
  `)
})
