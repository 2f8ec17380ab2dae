import { Array as Arr, Context, Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { hasTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import type { JobRouting } from "../platform/queue/JobsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { runActions, runPipeline } from "./AutomationJobs.ts"
import { Broadcast } from "./Broadcast.ts"
import { CurrentChain } from "./Chain.ts"
import type { Event } from "./Event.ts"
import { Reactions } from "./EventHooks.ts"
import { type EventParts, EventsRepo, type EventValues } from "./EventsRepo.ts"

/** What follows from an event, as parts of the statement that causes it. */
export interface Following extends EventParts {
  /** Statements of the same shape differ only in their values. */
  readonly shape: string
  readonly values: EventValues
  /** To be run after the statement. */
  readonly told: (customerID: CustomerID, eventIDs: ReadonlyArray<string>) => Effect.Effect<void>
}

/**
 * Records what happened and triggers what follows. Call `record` in the transaction of the cause, so that either all of
 * it is stored or nothing.
 */
export class Events extends Context.Tag("casework/Events")<
  Events,
  {
    readonly record: (customerID: CustomerID, events: ReadonlyArray<Event>) => Effect.Effect<void>
    /**
     * Like `record`, for the first message of a ticket when one statement stores both; there `stored` is the message.
     * None when more follows than one statement can express.
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
  ).pipe(Layer.provide(EventsRepo.layer))
}

/** The events of a new ticket's first message. */
const openingEvents = (isAutomatic: boolean) =>
  [
    { kind: "TicketCreated", details: { hasMessage: true } },
    { kind: "MessageReceived", details: { isAutomatic, opensTicket: true } }
  ] as const

const make = Effect.gen(function* () {
  const repo = yield* EventsRepo
  const jobs = yield* Jobs
  const broadcast = yield* Broadcast
  const reactionTo = yield* Reactions

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

  const openingIn = (
    context: Context.Context<never>,
    customerID: CustomerID,
    isAutomatic: boolean,
    job: JobRouting
  ): Option.Option<Following> => {
    const events = openingEvents(isAutomatic)
    const [created, received] = events
    const reaction = reactionTo(received)
    const isPlain = reactionTo(created) === undefined && (reaction === undefined || reaction._tag === "Pipeline")
    if (!isPlain || Context.get(context, CurrentChain) !== null) return Option.none()
    const isQueued = reaction !== undefined
    const isWithinOther = hasTransaction(context)
    const tell = isWithinOther ? broadcast.recorded : broadcast.committed
    return Option.some({
      ...repo.inserting(events, { isQueued, isTold: isWithinOther }),
      shape: `${isAutomatic} ${isQueued} ${isWithinOther}`,
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
      const eventIDs = yield* repo.insert(customerID, events, parentRunID)
      // Without its own event id, a reaction would be mistaken for one that was triggered before.
      if (eventIDs.length !== events.length) {
        return yield* Effect.dieMessage(`${events.length} events became ${eventIDs.length} rows`)
      }
      yield* broadcast.recorded(customerID, eventIDs)
      for (const [event, eventID] of Arr.zip(events, eventIDs)) yield* react(customerID, event, eventID, parentRunID)
    })
  })
})
