import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import pg from "pg"
import { fillSql } from "./FillSql.ts"

const server = process.env["BENCH_DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres"

export const secrets = {
  JWT_SECRET: "bench-jwt-secret-of-enough-length",
  SECRETS_KEY: "bench-secrets-key-of-enough-length",
  PLATFORM_KEY: "bench-platform-key"
}

const urlOf = (name: string) => Object.assign(new URL(server), { pathname: `/${name}` }).href

export const connected = async <A>(url: string, use: (client: pg.Client) => Promise<A>) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

const migrate = (url: string) =>
  execFileSync(process.execPath, ["dist/src/admin/main.js", "migrate"], {
    env: { ...process.env, ...secrets, DATABASE_URL: url },
    stdio: "ignore"
  })

/** Creates an empty database. */
export const emptyDatabase = async (name: string) => {
  await connected(server, (client) => client.query(`drop database if exists ${name} with (force)`))
  await connected(server, (client) => client.query(`create database ${name}`))
  return urlOf(name)
}

const filledTables = ["end_user", "end_user_uid", "ticket", "ticket_tally", "ticket_message", "ticket_message_topic"]

const definitionsSql = `
  select string_agg(d, ' ' order by d) as d from (
    select indexdef as d from pg_indexes where schemaname = 'public' and tablename = any($1)
    union all select table_name || ' ' || column_name || ' ' || data_type from information_schema.columns
      where table_schema = 'public' and table_name = any($1)
    union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where c.relname = any($1) and not t.tgisinternal) definitions`

const readDefinitions = async () => {
  const name = "casework_bench_tables"
  const url = await emptyDatabase(name)
  migrate(url)
  const { rows } = await connected(url, (client) =>
    client.query<{ readonly d: unknown }>(definitionsSql, [filledTables])
  )
  await connected(server, (client) => client.query(`drop database ${name} with (force)`))
  return String(rows[0]?.d)
}

let definitions: Promise<string> | undefined

/**
 * A hash of what determines the content of a filled database: the SQL that fills it, and the current table definitions.
 */
const markOf = async (text: string) => {
  definitions ??= readDefinitions()
  return createHash("sha256")
    .update(text)
    .update(await definitions)
    .digest("hex")
}

/**
 * Does what the nodes and autovacuum of a live service do all the time, and removes what an earlier run left: tickets,
 * work and files.
 */
const tidySql = (tickets: number) => [
  `delete from ticket where ticket_id > ${tickets}`,
  "truncate job, blob cascade",
  `with folded as (delete from ticket_tally returning *)
   insert into ticket_tally select customer_id, channel_id, status, is_spam, sum(tickets) from folded group by 1, 2, 3, 4`,
  "select gin_clean_pending_list(indexrelid) from pg_index join pg_class c on c.oid = indexrelid join pg_am a on a.oid = c.relam where a.amname = 'gin'",
  "vacuum analyze ticket, ticket_message, ticket_tally"
]

const newlyFilled = async (name: string, text: string) => {
  const url = await emptyDatabase(name)
  migrate(url)
  await connected(url, async (client) => {
    await client.query(text)
    await client.query("vacuum analyze")
  })
  return url
}

const usual = 100

/** A database with this many tickets, filled once and reused as long as its mark still matches. */
export const filledDatabase = async (tickets: number, customers = usual) => {
  const text = fillSql(tickets, customers)
  const name = `casework_bench_${tickets}${customers === usual ? "" : `_of_${customers}`}`
  const url = urlOf(name)
  const mark = await markOf(text)
  const known = await connected(server, (client) =>
    client.query<{ readonly mark: string | null }>(
      "select shobj_description(oid, 'pg_database') as mark from pg_database where datname = $1",
      [name]
    )
  )
  if (known.rows[0]?.mark === mark) {
    migrate(url)
    await connected(url, async (client) => {
      for (const statement of tidySql(tickets)) await client.query(statement)
    })
    return url
  }
  process.stderr.write(`Filling ${name}; this takes a while the first time.\n`)
  await newlyFilled(name, text)
  await connected(url, (client) => client.query(`comment on database ${name} is '${mark}'`))
  return url
}

/** A newly filled database with this many tickets. */
export const freshDatabase = (name: string, tickets: number) => newlyFilled(name, fillSql(tickets, usual))

/**
 * Puts a word into three messages of the customer, however many tickets there are: equally much to find and to show.
 */
export const placeRareWord = (url: string, customerID: number, word: string) =>
  connected(url, async (client) => {
    await client.query(
      `update ticket_message set message = message || $2 where customer_id = $1 and message not like '%' || $2
         and ticket_message_id = any(array(
           select min(ticket_message_id) from ticket_message where customer_id = $1 group by ticket_id order by 1 limit 3))`,
      [customerID, ` ${word}`]
    )
    await client.query("select gin_clean_pending_list('ticket_message_text')")
  })

export interface SomeCustomer {
  readonly customerID: number
  readonly customerRepID: number
  readonly channelID: number
  readonly ticketID: number
  /** The number of its end users, who are named by their numbers. */
  readonly endUsers: number
}

/** The customer whose tickets are requested, in the middle of all customers. */
export const someCustomer = (url: string) =>
  connected(url, async (client) => {
    const { rows } = await client.query<SomeCustomer>(`
      select c.customer_id as "customerID", (select customer_rep_id from customer_rep r where r.customer_id = c.customer_id limit 1) as "customerRepID",
        (select channel_id from channel n where n.customer_id = c.customer_id and channel_type = 'Chat') as "channelID",
        (select ticket_id from ticket t where t.customer_id = c.customer_id order by ticket_id desc limit 1) as "ticketID",
        (select count(*)::int from end_user e where e.customer_id = c.customer_id and email is not null) as "endUsers"
      from customer c order by customer_id offset (select count(*) / 2 - 1 from customer) limit 1`)
    const [found] = rows
    if (found === undefined) throw new Error("There is no customer")
    return found
  })
