import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"

/** What waits, for all customers together. */
export const makeWaitingWorkRepo = Effect.map(SqlClient.SqlClient, (sql) => ({
  jobs: SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({
      kind: Schema.String,
      waiting: Schema.Int,
      /** For how many seconds the oldest has been due. */
      oldest: Schema.Number
    }),
    execute: () => sql`
      /* all customers: how much work waits */
      select kind, count(*)::int as waiting, extract(epoch from now() - min(due_at))::float8 as oldest
      from job where status = 'Queued' and due_at <= now() group by kind`
  })(undefined),

  setAsideMails: Effect.map(
    SqlSchema.single({
      Request: Schema.Void,
      Result: Schema.Struct({ mails: Schema.Int }),
      execute: () => sql`
        /* all customers: how much mail a person has to look at */
        select count(*)::int as mails from failed_mail where set_aside_at is not null`
    })(undefined),
    ({ mails }) => mails
  )
}))
