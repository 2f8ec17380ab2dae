import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import type { TicketsQuery } from "../../schema/Tickets.ts"
import { TicketListRepo } from "../../src/tickets/TicketListRepo.ts"
import { endpoints } from "../support/Endpoints.ts"
import { heard } from "../support/StatementAudit.ts"
import { sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { onPostgres, TestDatabase } from "../support/TestDatabase.ts"

const crowd = onPostgres ? 20_000 : 4_000

/** Adds many rows of another customer to the few that the caller may see. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    /* all customers: somebody else's rows */
    insert into customer (name) values ('Crowd');
    create temporary view crowd as
      select customer_id as c, n from customer, generate_series(1, ${crowd}) n where name = 'Crowd';
    insert into topic (customer_id, name) select c, 'topic ' || n from crowd;
    insert into action (customer_id, name, priority, is_active, operation, parameters, operation_from_name)
      select c, 'action ' || n, n, true, 'Wait', '{"seconds": 1}', true from crowd;
    insert into document (customer_id, name, is_data_retrieval_process) select c, 'document ' || n, false from crowd;
    insert into channel (customer_id, channel_type, name) select c, 'Chat', 'channel ' || n from crowd;
    insert into customer_rep (customer_id, username, password_hash, role, name)
      select c, 'crowd-' || n, '', 'Agent', 'rep ' || n from crowd;
    insert into model (customer_id, name, model_type, slots, takes_images)
      select c, 'model ' || n, 'Text', '{Topic}', false from crowd;
    insert into topic_action (customer_id, topic_id, action_id, priority)
      select t.customer_id, topic_id, action_id, 1 from topic t
      join action a on a.customer_id = t.customer_id and a.name = replace(t.name, 'topic', 'action');
    insert into topic_action (customer_id, hook_name, action_id, priority)
      select customer_id, 'OnEscalate', action_id, 1 from action where customer_id = (select min(c) from crowd);
    insert into topic_document (customer_id, topic_id, document_id)
      select t.customer_id, topic_id, document_id from topic t
      join document d on d.customer_id = t.customer_id and d.name = replace(t.name, 'topic', 'document');
    insert into page_topic_mapping (customer_id, topic_id, page_url)
      select customer_id, topic_id, 'https://crowd.example/' || topic_id from topic
      where customer_id = (select min(c) from crowd);
    insert into end_user (customer_id, first_name, last_name, email, search_text)
      select c, 'First' || n, 'Last', 'crowd-' || n || '@mail.example', 'first' || n || ' last' from crowd;
    insert into end_user_uid (customer_id, end_user_id, uid, uid_type, is_primary)
      select customer_id, end_user_id, email, 'Email', true from end_user where customer_id = (select min(c) from crowd);
    insert into ticket (customer_id, channel_id, end_user_id, status, subject)
      select customer_id, (select min(channel_id) from channel where customer_id = e.customer_id), end_user_id,
        (array['Open', 'Pending', 'Escalated', 'Closed'])[1 + end_user_id % 4], 'The key of ' || first_name
      from end_user e where customer_id = (select min(c) from crowd);
    insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status, message)
      select customer_id, ticket_id, channel_id, 'EndUser', 'Received', 'I lost ' || subject
      from ticket where customer_id = (select min(c) from crowd);
    insert into ticket_message_topic (customer_id, ticket_id, ticket_message_id, topic_id)
      select customer_id, ticket_id, ticket_message_id, (select min(topic_id) from topic where customer_id = m.customer_id)
      from ticket_message m where customer_id = (select min(c) from crowd);
    insert into ai_run (customer_id, purpose, slot, prompt_version, system_prompt, user_prompt, duration_ms, outcome)
      select c, 'Spam', 'Spam', 'spam-1', '', '', 1, 'Succeeded' from crowd;
    insert into place_description_report (customer_id, address) select c, n || ' Crowd Lane' from crowd;
    analyze;
  `)
  return new Set(
    "topic action document channel customer_rep model topic_action topic_document page_topic_mapping end_user end_user_uid ticket ticket_message ticket_message_topic ai_run place_description_report".split(
      " "
    )
  )
})

const Plans = Schema.Array(Schema.Struct({ "QUERY PLAN": Schema.Unknown }))

/** The tables that a plan reads from end to end. */
const scanned = (plan: unknown): ReadonlyArray<string> => {
  if (typeof plan !== "object" || plan === null) return []
  const here =
    "Node Type" in plan && plan["Node Type"] === "Seq Scan" && "Relation Name" in plan
      ? [String(plan["Relation Name"])]
      : []
  return [...here, ...Object.values(plan).flatMap(scanned)]
}

const queries: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/api/hookactions/wait-seconds": ["?hookName=OnEscalate&channelId=1"],
  "/customerReps": ["?search=agent"],
  "/api/PlaceDescriptionReports": ["", "?search=lane", "?search=la&sortBy=address"],
  "/api/EndUsers": ["", "?search=keller", "?search=ke&sortBy=Email"],
  "/api/EndUsers/byUid": ["?uid=T-1001"],
  "/tickets": [
    "",
    "?search=radiator",
    "?search=radiator+bedroom&status=Closed",
    "?search=ra",
    "?UID=T-1001",
    "?status=Open&isSpam=false",
    "?isClosed=true&channelType=Email",
    "?customerRepID=1&isClosed=false&sortBy=lastMessageDate",
    "?isSpam=true&sortBy=lastMessageDate",
    "?channelIDs=1,2&sortBy=subject",
    "?sortBy=channelType"
  ],
  "/api/Translations/detect-language-ai": ["?country=France"],
  "/ticketMessages": ["?ticketId=1", "?ticketId=1&sortBy=subject"]
}

layer(testApp(), { excludeTestServices: true })("Lists", (it) => {
  it.effect(
    "read only the caller's own rows, however many others there are",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const token = yield* tokenOf("acme-admin")
        const filled = yield* fill
        heard.clear()
        const lists = endpoints.filter((it) => it.method === "GET" && it.takesBearer && it.parameters.length === 0)
        expect(lists.length).toBeGreaterThan(10)
        for (const { path } of lists) {
          for (const query of queries[path] ?? [""]) {
            expect((yield* sendJson("GET", path + query, { token })).status, path + query).toBe(200)
          }
        }
        const statements = [...heard].filter(([text]) => [...filled].some((table) => text.includes(` ${table} `)))
        expect(statements.length).toBeGreaterThan(lists.length - 4)
        for (const [text, parameters] of statements) {
          const plan = yield* sql
            .unsafe(`explain (format json) ${text}`, parameters)
            .pipe(Effect.flatMap(Schema.decodeUnknown(Plans)))
          expect(
            scanned(plan).filter((table) => filled.has(table)),
            text
          ).toEqual([])
        }
      }),
    { timeout: 900_000 }
  )
})

/** Adds another customer's tickets: the planner then knows that the caller has few, and would plan for each. */
const fillTickets = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    /* all customers: somebody else's rows */
    insert into customer (name) values ('Crowd');
    insert into channel (customer_id, channel_type, name) select customer_id, 'Chat', 'Chat' from customer where name = 'Crowd';
    insert into ticket (customer_id, channel_id, status, subject)
      select c.customer_id, c.channel_id, 'Open', 'number ' || n from channel c
      join customer using (customer_id), generate_series(1, 20000) n where customer.name = 'Crowd';
    analyze`)
)

const ticketQueries: ReadonlyArray<TicketsQuery> = [
  {},
  { status: "Open" },
  { channelType: "Email" },
  { UID: "T-1001" },
  { search: "radiator bedroom" }
]

/** The embedded database has one connection for everything and prepares nothing by name. */
if (onPostgres) {
  layer(Layer.provideMerge(TicketListRepo.layer, TestDatabase), { excludeTestServices: true })("A list", (it) => {
    it.effect("is planned once, not for each caller", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const repo = yield* TicketListRepo
        yield* fillTickets
        const [customer] = yield* sql<{ id: number }>`
          /* all customers: one of them */ select customer_id as id from customer where name <> 'Crowd' order by 1 limit 1`
        const customerID = CustomerID.make((yield* Effect.fromNullable(customer)).id)
        for (const query of ticketQueries) {
          // A repeated statement is prepared; PostgreSQL makes five plans for it before it keeps one for all.
          yield* Effect.replicateEffect(repo.list(customerID, query), 9)
        }
        const plans = yield* sql<{ generic: string; statement: string }>`
          select generic_plans::text as generic, statement from pg_prepared_statements
          where statement like '%json_agg(page)%'`
        expect(plans.length).toBe(ticketQueries.length)
        for (const { generic, statement } of plans) expect(Number(generic), statement).toBeGreaterThan(0)
      }).pipe((test) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(test)))
    )
  })
}
