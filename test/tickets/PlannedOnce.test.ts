import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import type { TicketsQuery } from "../../schema/Tickets.ts"
import { TicketListRepo } from "../../src/tickets/TicketListRepo.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"

/** Somebody else's tickets: the planner knows then that the caller has few, and would plan for that each time. */
const fill = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    /* all customers: somebody else's rows */
    insert into customer (name) values ('Crowd');
    insert into channel (customer_id, channel_type, name) select customer_id, 'Chat', 'Chat' from customer where name = 'Crowd';
    insert into ticket (customer_id, channel_id, status, subject)
      select c.customer_id, c.channel_id, 'Open', 'number ' || n from channel c
      join customer using (customer_id), generate_series(1, 20000) n where customer.name = 'Crowd';
    analyze`)
)

const queries: ReadonlyArray<TicketsQuery> = [{}, { status: "Open" }, { channelType: "Email" }]

/** The embedded database has one connection for everything and prepares nothing by name. */
if (onPostgres) {
  layer(Layer.provideMerge(TicketListRepo.layer, TestDatabase), { excludeTestServices: true })("A list", (it) => {
    it.effect("is planned once and not for each caller", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const repo = yield* TicketListRepo
        yield* fill
        const [customer] = yield* sql<{ id: number }>`
          /* all customers: one of them */ select customer_id as id from customer where name <> 'Crowd' order by 1 limit 1`
        const customerID = CustomerID.make(customer?.id ?? 0)
        for (const query of queries) {
          // The server prepares what comes again, and tries a plan five times before it keeps one for all.
          yield* Effect.replicateEffect(repo.list(customerID, query), 9)
        }
        const plans = yield* sql<{ generic: string }>`
          select generic_plans::text as generic from pg_prepared_statements where statement like '%json_agg(page)%'`
        expect(plans.map(({ generic }) => Number(generic) > 0)).toEqual(queries.map(() => true))
      }).pipe((test) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(test)))
    )
  })
}
