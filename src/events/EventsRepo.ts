import { SqlClient, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { eachStorable } from "../platform/database/Storable.ts"
import type { Placeholder, PlaceholderFor } from "../platform/database/WrittenOnce.ts"
import { type JobRouting, JobsRepo } from "../platform/queue/JobsRepo.ts"
import type { Event, EventKind } from "./Event.ts"
import { eventChannel } from "./PostgresBroadcast.ts"

export interface EventValues extends JobRouting {
  readonly customerID: CustomerID
}

/** Events as parts of the statement that causes them. */
export interface EventParts {
  /** Additional parts of the statement's `with`. */
  readonly parts: (place: PlaceholderFor<EventValues>) => Statement.Fragment
  /** The ids of the events, as an SQL value. */
  readonly eventIDs: (place: PlaceholderFor<EventValues>) => Statement.Fragment
}

/** An event that is written into the text of a statement, which must not contain anybody's words. */
interface WrittenOut {
  readonly kind: EventKind
  readonly details: Readonly<Record<string, boolean>>
}

export class EventsRepo extends Context.Tag("casework/EventsRepo")<
  EventsRepo,
  {
    /**
     * Returns the ids of the events in the same order. Nodes that listen to the database are notified at the commit.
     */
    readonly insert: (
      customerID: CustomerID,
      events: ReadonlyArray<Event>,
      automationRunID: string | null
    ) => Effect.Effect<ReadonlyArray<string>>
    /**
     * The insert as parts of a statement that stores a ticket and its first message, named `stored` there: an event of
     * the ticket and one of the message, optionally with the pipeline's job and the notification of the nodes.
     */
    readonly inserting: (
      events: readonly [ofTicket: WrittenOut, ofMessage: WrittenOut],
      options: { readonly isQueued: boolean; readonly isTold: boolean }
    ) => EventParts
  }
>() {
  static readonly layer = Layer.effect(
    EventsRepo,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(JobsRepo.layer))
}

const Stored = Schema.Array(Schema.Struct({ eventID: Schema.String }))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobsRepo
  const decode = Schema.decodeUnknown(Stored)

  const recording = (customerID: Placeholder, ofTicket: WrittenOut, ofMessage: WrittenOut) => sql`
    insert into event (customer_id, kind, ticket_id, ticket_message_id, details)
    select ${customerID}::int, what.kind, stored.ticket_id, what.of * stored.ticket_message_id, what.details
    from stored cross join (values
      (1, '${sql.literal(ofTicket.kind)}', null::int, '${sql.literal(JSON.stringify(ofTicket.details))}'::jsonb),
      (2, '${sql.literal(ofMessage.kind)}', 1, '${sql.literal(JSON.stringify(ofMessage.details))}'::jsonb)
    ) what (place, kind, of, details)
    order by what.place returning event_id`

  const queueing = (place: PlaceholderFor<EventValues>) => {
    const payload = sql`jsonb_build_object('ticketMessageID', stored.ticket_message_id, 'opensTicket', true)`
    return sql`, queued as (${jobs.inserting(place, payload, sql`stored`)})`
  }

  const notifying = (customer: Placeholder) => sql`|| pg_notify(${eventChannel}, ${customer}::text || event_id)::text`

  return EventsRepo.of({
    insert: (customerID, events, automationRunID) => {
      const rows = events.map(({ details = {}, kind, ticketID, ticketMessageID = null }) => ({
        customer_id: customerID,
        kind,
        ticket_id: ticketID,
        ticket_message_id: ticketMessageID,
        automation_run_id: automationRunID,
        details: JSON.stringify(details, eachStorable)
      }))
      return sql`
        with stored as (insert into event ${sql.insert(rows)} returning event_id)
        select event_id::text as "eventID", pg_notify(${eventChannel}, ${`${customerID} `} || event_id) from stored`.pipe(
        Effect.flatMap(decode),
        Effect.map((stored) => stored.map(({ eventID }) => eventID)),
        Effect.orDie
      )
    },

    inserting: ([ofTicket, ofMessage], { isQueued, isTold }) => ({
      parts: (place) =>
        sql`, recorded as (${recording(
          place((_) => _.customerID),
          ofTicket,
          ofMessage
        )})${isQueued ? queueing(place) : sql``}`,
      eventIDs: (place) =>
        sql`array(select event_id::text ${isTold ? notifying(place((_) => `${_.customerID} `)) : sql``} from recorded)`
    })
  })
})
