import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { endpoints } from "../support/Endpoints.ts"
import { heard } from "../support/StatementAudit.ts"
import { sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { onPostgres } from "../support/TestDatabase.ts"

const crowd = onPostgres ? 100_000 : 4_000

/** Many rows of somebody else beside the few that the caller may see. */
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
    analyze;
  `)
  return new Set(
    "topic action document channel customer_rep model topic_action topic_document page_topic_mapping".split(" ")
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

const queries: Readonly<Record<string, string>> = {
  "/api/hookactions/wait-seconds": "?hookName=OnEscalate&channelId=1",
  "/customerReps": "?search=agent"
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
          expect((yield* sendJson("GET", path + (queries[path] ?? ""), { token })).status, path).toBe(200)
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
    { timeout: 120_000 }
  )
})
