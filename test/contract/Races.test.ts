import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Metric, Option } from "effect"
import { transactionsHindered } from "../../src/platform/telemetry/ServiceMetrics.ts"
import { quietApp, sendJson, tokenOf } from "../support/TestApp.ts"
import { onPostgres } from "../support/TestDatabase.ts"
import { channelOf } from "../tickets/TicketTools.ts"

interface Rows {
  readonly channel: number
  readonly topic: number
  readonly endUser: number
  readonly ticket: number
  readonly message: number
  readonly report: number
}

type Move = (rows: Rows, uid: string) => readonly [method: string, path: string, body?: unknown]

/** The changes that people can make to a conversation and to the rows it refers to. */
const changes: Readonly<Record<string, Move>> = {
  "a first message": ({ channel }, uid) => [
    "POST",
    "/ticketMessages/create-new",
    { message: "Hello", channelID: channel, uid }
  ],
  "a next message": ({ ticket }, uid) => [
    "POST",
    "/ticketMessages/create-new",
    { message: "Hello", ticketID: ticket, uid }
  ],
  "a changed message": ({ message }) => ["PUT", `/ticketMessages/${message}`, { aiReply: "Another" }],
  "corrected topics": ({ message, topic }) => [
    "POST",
    `/ticketMessages/${message}/correct-topics`,
    { topicIds: [topic] }
  ],
  "an answer": ({ message }) => ["POST", `/ticketMessages/${message}/send`, { modifiedAnswer: "Yes" }],
  "an escalation": ({ message }) => ["POST", `/ticketMessages/${message}/escalate-by-id`, {}],
  "a changed ticket": ({ endUser, ticket }) => ["PUT", `/tickets/${ticket}`, { endUserID: endUser, status: "Closed" }],
  "a changed report": ({ report, topic }) => [
    "PUT",
    `/api/PlaceDescriptionReports/${report}`,
    { address: "1 Lane", transformTopicID: topic }
  ],
  "a changed end user": ({ endUser }, uid) => ["PUT", `/api/EndUsers/${endUser}`, { UIDs: [{ UID: `${uid} too` }] }]
}

const deletions: Readonly<Record<string, Move>> = {
  "a deleted message": ({ message }) => ["DELETE", `/ticketMessages/${message}`],
  "a deleted ticket": ({ ticket }) => ["DELETE", `/tickets/${ticket}`],
  "a deleted end user": ({ endUser }) => ["DELETE", `/api/EndUsers/${endUser}`],
  "a deleted topic": ({ topic }) => ["DELETE", `/api/Topics/${topic}`]
}

const moves = { ...changes, ...deletions }

const conversation = (uid: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const channel = yield* channelOf("Chat")
    const [rows] = yield* sql<Omit<Rows, "channel">>`
      with t as (insert into topic (customer_id, name) values (1, ${uid}) returning topic_id),
      e as (
        insert into end_user (customer_id, first_name, last_name, search_text) values (1, 'A', 'B', '')
        returning end_user_id),
      u as (
        insert into end_user_uid (customer_id, end_user_id, uid, uid_type, is_primary)
        select 1, end_user_id, ${uid}, 'External', true from e),
      k as (
        insert into ticket (customer_id, channel_id, end_user_id, status)
        select 1, ${channel}, end_user_id, 'Open' from e returning ticket_id),
      m as (
        insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status, message, uid)
        select 1, ticket_id, ${channel}, 'EndUser', 'Received', 'Hello', ${uid} from k returning ticket_message_id),
      x as (
        insert into ticket_message_topic (customer_id, ticket_id, ticket_message_id, topic_id)
        select 1, ticket_id, ticket_message_id, topic_id from k, m, t),
      r as (
        insert into place_description_report (customer_id, transform_topic_id) select 1, topic_id from t
        returning place_description_report_id)
      select topic_id as topic, end_user_id as "endUser", ticket_id as ticket, ticket_message_id as message,
        place_description_report_id as report
      from t, e, k, m, r`
    return { channel, ...(yield* Effect.orDie(Option.fromNullable(rows))) }
  })

/** The rows at which two requests can meet, with a statement that locks them so that both wait. */
const places = {
  ticket: (sql: SqlClient.SqlClient, { ticket }: Rows) =>
    sql`select 1 from ticket where customer_id = 1 and ticket_id = ${ticket} for update`,
  message: (sql: SqlClient.SqlClient, { message }: Rows) =>
    sql`select 1 from ticket_message where customer_id = 1 and ticket_message_id = ${message} for update`,
  "end user": (sql: SqlClient.SqlClient, { endUser }: Rows) =>
    sql`select 1 from end_user where customer_id = 1 and end_user_id = ${endUser} for update`,
  topic: (sql: SqlClient.SqlClient, { topic }: Rows) =>
    sql`select 1 from topic where customer_id = 1 and topic_id = ${topic} for update`,
  report: (sql: SqlClient.SqlClient, { report }: Rows) =>
    sql`select 1 from place_description_report
      where customer_id = 1 and place_description_report_id = ${report} for update`
}

const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Without this, a transaction keeps seeing the connections of its first look, and none opened since.
  yield* sql`select pg_stat_clear_snapshot()`
  const rows = yield* sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return rows.length
})

/** Waits until each request is answered or waits for a lock. */
const stopped = (
  asked: ReadonlyArray<Fiber.RuntimeFiber<unknown>>
): Effect.Effect<void, unknown, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const states = yield* Effect.forEach(asked, (fiber) => fiber.status)
    const underWay = states.filter(({ _tag }) => _tag !== "Done").length
    if (underWay === 0 || (yield* waiting) >= underWay) return
    yield* Effect.yieldNow()
    yield* stopped(asked)
  })

/** The statuses of two requests, of which the second comes while the first waits for the lock at that place. */
const meeting = (place: keyof typeof places, first: Move, second: Move, uid: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const token = yield* tokenOf("acme-admin")
    const rows = yield* conversation(uid)
    const ask = (move: Move) => {
      const [method, path, body] = move(rows, uid)
      return Effect.fork(Effect.map(sendJson(method, path, { token, body }), ({ status }) => status))
    }
    const asked = yield* Effect.gen(function* () {
      if (!onPostgres) return [yield* ask(first), yield* ask(second)]
      yield* places[place](sql, rows)
      const one = yield* ask(first)
      yield* stopped([one])
      const other = yield* ask(second)
      yield* stopped([one, other])
      return [one, other]
    }).pipe(onPostgres ? sql.withTransaction : (effect) => effect)
    return yield* Effect.forEach(asked, Fiber.join)
  })

/** A transaction that locks rows in another order than the rest is retried, but loses a second to the deadlock. */
const deadlocks = transactionsHindered.of({ reason: "deadlock" })

layer(quietApp(), { excludeTestServices: true })("Two requests that meet", (it) => {
  for (const [name, deletion] of Object.entries(deletions)) {
    it.effect(`are both answered without a deadlock, whatever comes before or after ${name}`, () =>
      Effect.gen(function* () {
        const broken: Array<string> = []
        for (const place of onPostgres
          ? (["ticket", "message", "end user", "topic", "report"] as const)
          : (["ticket"] as const)) {
          for (const [other, move] of Object.entries(moves)) {
            for (const order of ["before", "after"] as const) {
              const pair = order === "before" ? ([move, deletion] as const) : ([deletion, move] as const)
              const { count: before } = yield* Metric.value(deadlocks)
              const statuses = yield* meeting(place, ...pair, `${name} ${place} ${other} ${order}`)
              const happened = `${place}: ${other} ${order}: ${statuses}`
              if (statuses.some((status) => status >= 500)) broken.push(happened)
              if ((yield* Metric.value(deadlocks)).count > before) broken.push(`${happened}, a deadlock`)
            }
          }
        }
        expect(broken).toEqual([])
      })
    )
  }
})
