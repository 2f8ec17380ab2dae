import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"

/** Finds the token of the chat channel on the demo web site. */
export class DemoChatRepo extends Context.Tag("casework/DemoChatRepo")<
  DemoChatRepo,
  { readonly findToken: (loginHostname: string) => Effect.Effect<Option.Option<string>> }
>() {
  static readonly layer = Layer.effect(
    DemoChatRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const find = SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ token: Schema.String }),
    execute: (hostname) => sql`
      /* all customers: the hostname says whose channel it is */
      select c.token from channel c
      join login_hostname h on h.customer_id = c.customer_id
      where h.hostname = ${hostname} and c.channel_type = 'Chat' and c.is_active and c.deleted_at is null
      order by c.channel_id limit 1`
  })
  return DemoChatRepo.of({
    findToken: (loginHostname) => find(loginHostname).pipe(Effect.map(Option.map(({ token }) => token)), Effect.orDie)
  })
})
