import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, Option, Schema } from "effect"
import type { CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { runActions, runPipeline } from "../automation/AutomationJobs.ts"
import { CurrentChain } from "../automation/Chain.ts"
import { Reactions } from "../automation/EventHooks.ts"
import { Broadcast } from "../hub/Broadcast.ts"
import { eventChannel } from "../hub/PostgresBroadcast.ts"
import { eachStorable } from "../platform/database/Storable.ts"
import type { Place } from "../platform/database/WrittenOnce.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import type { JobPlace } from "../platform/queue/JobsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"

/** What can happen to a ticket or a message. */
export type EventKind =
  | "TicketCreated"
  | "TicketClosed"
  | "TicketReopened"
  | "TicketEscalated"
  | "TicketAssigned"
  | "TicketUnassigned"
  | "TicketMarkedSpam"
  | "TicketMarkedNotSpam"
  | "TicketStatusChanged"
  | "TicketChanged"
  | "MessageReceived"
  | "MessageAdded"
  | "MessageChanged"
  | "MessageEscalated"
  | "MessageSent"
  | "SendFailed"
  | "TopicsDetected"
  | "TopicsCorrected"
  | "DraftReady"
  | "Feedback"
  | "AgentJoined"

export interface Event {
  readonly kind: EventKind
  readonly ticketID: TicketID
  readonly ticketMessageID?: TicketMessageID
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

interface FollowingValues extends JobPlace {
  readonly customerID: CustomerID
}

/** What follows from an event, as parts of the statement that makes it happen. */
export interface Following {
  /** Two of the same shape are the same but for their values. */
  readonly shape: string
  /** Further parts of its `with`. */
  readonly parts: (place: Place<FollowingValues>) => Statement.Fragment
  /** The ids of the events, as a value. */
  readonly eventIDs: (place: Place<FollowingValues>) => Statement.Fragment
  readonly values: FollowingValues
  /** What is to be done when it has run. */
  readonly told: (customerID: CustomerID, eventIDs: ReadonlyArray<string>) => Effect.Effect<void>
}

/**
 * Remembers what happened and sets going what follows from it. Record inside the transaction of the cause: either all
 * of it is there or nothing is.
 */
export class Events extends Context.Tag("casework/Events")<
  Events,
  {
    readonly record: (customerID: CustomerID, events: ReadonlyArray<Event>) => Effect.Effect<void>
    /**
     * The same for the first message of a ticket, when one statement stores both: `stored` there is the message. None
     * when more follows from it than one statement says.
     */
    readonly opening: (
      customerID: CustomerID,
      details: { readonly isAutomatic: boolean }
    ) => Effect.Effect<Option.Option<Following>>
  }
>() {
  static readonly layer = Layer.effect(
    Events,
    Effect.suspend(() => make)
  )
}

/** What happens when somebody's first message comes in. */
const openingEvents = (isAutomatic: boolean) =>
  [
    { kind: "TicketCreated", details: { hasMessage: true } },
    { kind: "MessageReceived", details: { isAutomatic, opensTicket: true } }
  ] as const

const Stored = Schema.Array(Schema.Struct({ eventID: Schema.String }))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* Jobs
  const broadcast = yield* Broadcast
  const reactionTo = yield* Reactions
  const decode = Schema.decodeUnknown(Stored)

  const react = (customerID: CustomerID, event: Event, eventID: string, parentRunID: string | null) => {
    const reaction = reactionTo(event)
    const { ticketID, ticketMessageID = null } = event
    switch (reaction?._tag) {
      case undefined:
        return Effect.void
      case "Pipeline":
        return ticketMessageID === null
          ? Effect.void
          : jobs.enqueue(runPipeline, customerID, { ticketMessageID, opensTicket: reaction.opensTicket })
      case "Hook":
      case "TopicActions":
        return jobs.enqueue(runActions, customerID, {
          reason: `event ${eventID}`,
          hookName: reaction._tag === "Hook" ? reaction.hookName : null,
          ticketID,
          ticketMessageID,
          parentRunID
        })
    }
  }

  const notifying = (customer: Uint8Array) => sql`|| pg_notify(${eventChannel}, ${customer}::text || event_id)::text`

  const recording = (customerID: Uint8Array, [created, received]: ReturnType<typeof openingEvents>) => sql`
    insert into event (customer_id, kind, ticket_id, ticket_message_id, details)
    select ${customerID}::int, what.kind, stored.ticket_id, what.of * stored.ticket_message_id, what.details
    from stored cross join (values
      (1, '${sql.literal(created.kind)}', null::int, '${sql.literal(JSON.stringify(created.details))}'::jsonb),
      (2, '${sql.literal(received.kind)}', 1, '${sql.literal(JSON.stringify(received.details))}'::jsonb)
    ) what (place, kind, of, details)
    order by what.place returning event_id`

  const queueing = (place: Place<FollowingValues>) => {
    const payload = sql`jsonb_build_object('ticketMessageID', stored.ticket_message_id, 'opensTicket', true)`
    return sql`, queued as (${jobs.enqueuing(place, payload, sql`stored`)})`
  }

  const openingIn = (
    context: Context.Context<never>,
    customerID: CustomerID,
    isAutomatic: boolean,
    job: JobPlace
  ): Option.Option<Following> => {
    const events = openingEvents(isAutomatic)
    const [created, received] = events
    const reaction = reactionTo(received)
    const isPlain = reactionTo(created) === undefined && (reaction === undefined || reaction._tag === "Pipeline")
    if (!isPlain || Context.get(context, CurrentChain) !== null) return Option.none()
    const isQueued = reaction !== undefined
    const isWithinOther = Option.isSome(Context.getOption(context, SqlClient.TransactionConnection))
    const tell = isWithinOther ? broadcast.recorded : broadcast.committed
    return Option.some({
      shape: `${isAutomatic} ${isQueued} ${isWithinOther}`,
      parts: (place) =>
        sql`, recorded as (${recording(
          place((_) => _.customerID),
          events
        )})${isQueued ? queueing(place) : sql``}`,
      eventIDs: (place) =>
        sql`array(select event_id::text ${isWithinOther ? notifying(place((_) => `${_.customerID} `)) : sql``} from recorded)`,
      values: { ...job, customerID },
      told: (owner, ids) => Effect.zipRight(tell(owner, ids), jobs.woken)
    })
  }

  const opening = (customerID: CustomerID, { isAutomatic }: { readonly isAutomatic: boolean }) =>
    Effect.flatMap(jobs.placeOf(runPipeline), (job) =>
      Effect.contextWith((context: Context.Context<never>) => openingIn(context, customerID, isAutomatic, job))
    )

  return Events.of({
    opening,

    record: fn("Events.record")(function* (customerID, events) {
      if (events.length === 0) return
      const chain = yield* CurrentChain
      const parentRunID = chain?.automationRunID ?? null
      const rows = events.map(({ details = {}, kind, ticketID, ticketMessageID = null }) => ({
        customer_id: customerID,
        kind,
        ticket_id: ticketID,
        ticket_message_id: ticketMessageID,
        automation_run_id: parentRunID,
        details: JSON.stringify(details, eachStorable)
      }))
      const stored = yield* decode(
        yield* sql`
          with stored as (insert into event ${sql.insert(rows)} returning event_id)
          select event_id::text as "eventID", pg_notify(${eventChannel}, ${`${customerID} `} || event_id) from stored`
      )
      // Without an id of its own, a reaction would be taken for one that was there before.
      if (stored.length !== events.length) {
        return yield* Effect.dieMessage(`${events.length} events became ${stored.length} rows`)
      }
      yield* broadcast.recorded(
        customerID,
        stored.map(({ eventID }) => eventID)
      )
      for (const [event, { eventID }] of Arr.zip(events, stored)) yield* react(customerID, event, eventID, parentRunID)
    }, Effect.orDie)
  })
})
