import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { CustomerRepID, type TicketID, type TicketMessageID, type TopicID } from "../../schema/Ids.ts"
import type { OperationName, OperationParameters } from "../../schema/Operations.ts"
import type { TopicActionCreate } from "../../schema/TopicActions.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf } from "../support/TestApp.ts"
import { newMessage, readMessage } from "../ticketMessages/MessageTools.ts"
import { fresh } from "../topics/Mappings.ts"

export interface Wanted extends Partial<TopicActionCreate> {
  readonly operation: OperationName
  readonly parameters?: OperationParameters
  readonly name?: string
}

/** A hook that only tests fire. */
export const freshHook = () => fresh("Hook").replace(" ", "-")

const newOperation = ({ name = fresh("Action"), operation, parameters }: Wanted) =>
  Effect.flatMap(clientOf("acme-admin"), ({ actions }) =>
    actions.createAction({
      payload: { name, priority: 1, isActive: true, operation, ...(parameters !== undefined && { parameters }) }
    })
  )

/** Actions of Acme's for a hook, in the order in which they are to run. */
export const onHook = (hookName: string, ...wanted: ReadonlyArray<Wanted>) =>
  Effect.forEach(wanted, (one, index) =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const { name: _, operation, parameters, ...row } = one
      const { actionID, name } = yield* newOperation(one)
      const { topicActionID } = yield* topicActions.createTopicAction({
        payload: { hookName, actionID, priority: 1000 - index, isActive: true, ...row }
      })
      return { actionID, name, topicActionID }
    })
  )

/** Actions of Acme's for a topic. */
export const onTopic = (topicID: TopicID, ...wanted: ReadonlyArray<Wanted>) =>
  Effect.forEach(wanted, (one, index) =>
    Effect.gen(function* () {
      const { topicActions } = yield* clientOf("acme-admin")
      const { actionID, name } = yield* newOperation(one)
      const priority = one.priority ?? index
      yield* topicActions.createTopicAction({ payload: { topicID, actionID, priority, isActive: true } })
      return { actionID, name }
    })
  )

/** Takes actions off a hook again, for the other tests of the file. */
export const unmap = (rows: ReadonlyArray<{ readonly topicActionID: TopicActionIDOf }>) =>
  Effect.flatMap(clientOf("acme-admin"), ({ topicActions }) =>
    Effect.forEach(rows, ({ topicActionID }) => topicActions.deleteTopicAction({ path: { id: topicActionID } }))
  )

type TopicActionIDOf = Effect.Effect.Success<ReturnType<typeof onHook>>[number]["topicActionID"]

export const fire = (hookName: string, ticketMessageID: TicketMessageID, dryRun = false) =>
  Effect.flatMap(clientOf("acme-agent"), ({ automation }) =>
    automation.fireHook({ payload: { hookName, ticketMessageID, dryRun } })
  )

export const traceOf = (id: TicketMessageID) =>
  Effect.flatMap(clientOf("acme-agent"), ({ automation }) => automation.getMessageTrace({ path: { id } })).pipe(
    Effect.map(({ entries }) => entries)
  )

/** The finished steps of a message's pipeline, with their outcomes. */
export const stepsOf = (id: TicketMessageID) =>
  Effect.map(traceOf(id), (entries) =>
    entries.filter(({ type }) => type === "Step").map(({ outcome, what }) => [what, outcome] as const)
  )

/** Waits for the end of a message's pipeline. */
export const finishedSteps = (id: TicketMessageID) =>
  eventually(stepsOf(id), (steps) =>
    steps.some(
      ([what, outcome]) => what === "OnDraftReady" || (what === "Spam check" && /^Spam|is spam/.test(outcome ?? ""))
    )
  )

/** An end user's message whose pipeline has come to its end. */
export const settledMessage = (...given: Parameters<typeof newMessage>) =>
  Effect.tap(newMessage(...given), ({ messageID }) => finishedSteps(messageID))

export const actionsOf = (id: TicketMessageID) => Effect.map(readMessage(id), ({ actions }) => actions)

/** The results of a hook's actions on a message, once all have finished. */
export const resultsOf = (id: TicketMessageID, hookName: string, count: number) =>
  eventually(
    Effect.map(actionsOf(id), (actions) => actions.filter((action) => action.hookName === hookName)),
    (actions) => actions.length >= count && actions.every(({ status }) => status !== "Waiting")
  )

/** Fires actions on a message that nothing else happens to, and answers their results. */
export const doneTo = (messageID: TicketMessageID, ...wanted: ReadonlyArray<Wanted>) =>
  Effect.gen(function* () {
    const hookName = freshHook()
    yield* onHook(hookName, ...wanted)
    yield* fire(hookName, messageID)
    return yield* resultsOf(messageID, hookName, wanted.length)
  })

/** Ends the Wait that the actions of a message have come to, as if its time were over. */
export const endWait = (id: TicketMessageID) =>
  eventually(
    Effect.flatMap(
      SqlClient.SqlClient,
      // A due_at and a queued job mean that the wait has begun and no worker is on it.
      (sql) => sql`
        with ended as (
          update message_action a set due_at = now() from automation_run r, job j
          where a.customer_id = 1 and a.ticket_message_id = ${id} and a.operation = 'Wait' and a.status = 'Waiting'
            and a.due_at is not null and r.customer_id = 1 and r.automation_run_id = a.automation_run_id
            and j.customer_id = 1 and j.status = 'Queued' and (j.payload ->> 'reason' = r.reason
              or j.kind = 'RunPipeline' and j.payload ->> 'ticketMessageID' = ${String(id)})
          returning j.job_id)
        update job set due_at = now() from ended where customer_id = 1 and job.job_id = ended.job_id returning 1`
    ),
    (rows) => rows.length === 1
  )

export const readTicket = (id: TicketID) =>
  Effect.flatMap(clientOf("acme-admin"), ({ tickets }) => tickets.getTicket({ path: { id } }))

export const representativeOf = (username: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: number }>`
      select customer_rep_id as id from customer_rep where customer_id = 1 and username = ${username}`
  ).pipe(
    Effect.flatMap(([row]) => Effect.fromNullable(row)),
    Effect.map(({ id }) => CustomerRepID.make(id))
  )

/** All events of a ticket, whoever caused them. */
export const allEventsOf = (ticketID: TicketID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ kind: string; messageID: number | null }>`
      select kind, ticket_message_id as "messageID" from event
      where customer_id = 1 and ticket_id = ${ticketID} order by event_id`
  )

/** The jobs of automation that wait or run. */
export const workLeft = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ kind: string }>`
    select kind from job where customer_id = 1 and status in ('Queued', 'Running')
      and kind in ('RunPipeline', 'RunActions', 'DeliverMessage', 'NotifyByMail')`
)

/** Waits until no work of automation is left. */
export const nothingLeft = eventually(workLeft, (rows) => rows.length === 0)
