import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, TicketID } from "../../schema/Ids.ts"
import { writtenOnce } from "../platform/database/WrittenOnce.ts"
import { messageColumns } from "../ticketMessages/MessageColumns.ts"
import { ticketColumns } from "../tickets/TicketColumns.ts"
import { visitorColumns } from "./VisitorColumns.ts"

const text = Schema.NullOr(Schema.String)

const Event = Schema.Struct({
  eventID: Schema.String,
  transactionID: Schema.BigInt,
  kind: Schema.String,
  ticketID: TicketID,
  /** The message that the event is about, as JSON, if clients are to get it. */
  message: text,
  visitorMessage: text,
  agentName: text,
  /** The current state of the ticket, as JSON, on the last of its events. */
  ticket: text
})
export type HubEvent = typeof Event.Type

const Missed = Schema.Struct({ customerID: CustomerID, eventID: Schema.String })

/** A customer with clients on this node, and the snapshot from before they came. */
interface Attending {
  readonly customerID: CustomerID
  readonly snapshot: string
}

/** The oldest transaction that may still record events which a snapshot does not see. */
export const oldestOpenIn = (snapshot: string) => BigInt(snapshot.split(":")[0] ?? "")

/** Events and what clients are sent about them, rendered once, by the database. */
export class HubEventsRepo extends Context.Tag("casework/HubEventsRepo")<
  HubEventsRepo,
  {
    readonly find: (customerID: CustomerID, eventIDs: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<HubEvent>>
    /** The transactions that recorded these events, including events that `find` cannot read. */
    readonly recordedBy: (
      customerID: CustomerID,
      eventIDs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Pick<HubEvent, "eventID" | "transactionID">>>
    /**
     * Up to `most` events that were recorded by transactions from the given one on and before another; for each
     * customer only what the snapshot from before its clients came does not see.
     */
    readonly since: (
      customers: ReadonlyArray<Attending>,
      transactionID: bigint,
      most: number,
      before?: bigint
    ) => Effect.Effect<ReadonlyArray<typeof Missed.Type>>
    /** The current snapshot of the database. */
    readonly snapshot: Effect.Effect<string>
  }
>() {
  static readonly layer = Layer.effect(
    HubEventsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const decodeEvents = Schema.decodeUnknown(Schema.Array(Event))
  const decodeRecorded = Schema.decodeUnknown(Schema.Array(Event.pick("eventID", "transactionID")))
  const decodeMissed = Schema.decodeUnknown(Schema.Array(Missed))
  const decodeSnapshot = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ snapshot: Schema.String })))

  const message = (columns: string) => sql`(
    select row_to_json(shown)::text from (
      select ${sql.literal(columns)} from ticket_message m
      where m.customer_id = e.customer_id and m.ticket_message_id = e.ticket_message_id) shown)`

  const find = writtenOnce<{ readonly customerID: CustomerID; readonly eventIDs: ReadonlyArray<string> }>(
    sql,
    (place) => sql`
      select e.event_id::text as "eventID", e.transaction_id::text as "transactionID", e.kind,
        e.ticket_id as "ticketID",
        case when e.kind in ('MessageReceived', 'MessageAdded', 'DraftReady')
          then ${message(messageColumns)} end as message,
        case when e.kind in ('MessageReceived', 'MessageAdded')
          then ${message(visitorColumns)} end as "visitorMessage",
        case when e.kind = 'AgentJoined' then (
          select coalesce(nullif(r.name, ''), r.username) from customer_rep r where r.customer_id = e.customer_id
            and r.customer_rep_id = (e.details->>'customerRepID')::int) end as "agentName",
        case when row_number() over (partition by e.ticket_id order by e.event_id desc) = 1 then (
          select row_to_json(shown)::text from (
            select ${sql.literal(ticketColumns)} from ticket t
            where t.customer_id = e.customer_id and t.ticket_id = e.ticket_id) shown) end as ticket
      from event e
      where e.customer_id = ${place((_) => _.customerID)}
        and e.event_id = any(${place((_) => [..._.eventIDs])}::bigint[])
      order by e.event_id`
  )

  return HubEventsRepo.of({
    find: (customerID, eventIDs) => find({ customerID, eventIDs }).pipe(Effect.flatMap(decodeEvents), Effect.orDie),

    recordedBy: (customerID, eventIDs) =>
      sql`
        select event_id::text as "eventID", transaction_id::text as "transactionID" from event
        where customer_id = ${customerID} and event_id = any(${[...eventIDs]}::bigint[])`.pipe(
        Effect.flatMap(decodeRecorded),
        Effect.orDie
      ),

    since: (customers, transactionID, most, before) =>
      sql`
        select e.customer_id as "customerID", e.event_id::text as "eventID" from event e
        join unnest(${customers.map(({ customerID }) => customerID)}::int[],
          ${customers.map(({ snapshot }) => snapshot)}::text[]) there (customer_id, snapshot)
          on there.customer_id = e.customer_id
        where e.transaction_id >= ${String(transactionID)}::text::xid8
          ${before === undefined ? sql`` : sql`and e.transaction_id < ${String(before)}::text::xid8`}
          and not pg_visible_in_snapshot(e.transaction_id, there.snapshot::pg_snapshot)
        order by e.event_id limit ${most}`.pipe(Effect.flatMap(decodeMissed), Effect.orDie),

    snapshot: sql`select pg_current_snapshot()::text as snapshot`.pipe(
      Effect.flatMap(decodeSnapshot),
      Effect.map(([{ snapshot }]) => snapshot),
      Effect.orDie
    )
  })
})
