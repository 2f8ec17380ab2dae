import { SqlClient, SqlSchema } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, Option, Schema } from "effect"
import { ActionID, CustomerID, TicketID, TicketMessageID, TopicID } from "../../schema/Ids.ts"
import { OperationName } from "../../schema/Operations.ts"
import type { RunRequest } from "../events/AutomationJobs.ts"
import type { Chain } from "../events/Chain.ts"
import type { ActionPlan } from "./ActionPlan.ts"

const Run = Schema.Struct({
  automationRunID: Schema.String,
  firstRunID: Schema.String,
  depth: Schema.Int,
  ticketID: TicketID,
  ticketMessageID: Schema.NullOr(TicketMessageID)
})
export type Run = typeof Run.Type

const Step = Schema.Struct({
  messageActionID: Schema.String,
  actionID: Schema.NullOr(ActionID),
  operation: OperationName,
  parameters: Schema.Unknown,
  status: Schema.Literal("Waiting", "Running"),
  waitSeconds: Schema.NullOr(Schema.Int),
  hookName: Schema.NullOr(Schema.String),
  topicID: Schema.NullOr(TopicID)
})
export type Step = typeof Step.Type

const Key = Schema.Struct({ customerID: CustomerID, reason: Schema.String })

/** Runs of actions and their progress. */
export class RunsRepo extends Context.Tag("casework/RunsRepo")<
  RunsRepo,
  {
    readonly findChain: (customerID: CustomerID, automationRunID: string) => Effect.Effect<Option.Option<Chain>>
    /**
     * The actions that this chain has planned or skipped so far. No other run can add any until the transaction ends.
     */
    readonly actionsOf: (customerID: CustomerID, firstRunID: string) => Effect.Effect<ReadonlySet<number>>
    readonly findByReason: (customerID: CustomerID, reason: string) => Effect.Effect<Option.Option<Run>>
    readonly insert: (
      customerID: CustomerID,
      request: RunRequest,
      parent: Option.Option<Chain>,
      plan: ActionPlan
    ) => Effect.Effect<Run>
    /** The first unfinished action, and how many seconds it still has to wait. */
    readonly nextStep: (customerID: CustomerID, run: Run) => Effect.Effect<Option.Option<Step>>
    readonly startWaiting: (customerID: CustomerID, step: Step, seconds: number) => Effect.Effect<void>
    readonly markRunning: (customerID: CustomerID, step: Step) => Effect.Effect<void>
    readonly finishStep: (
      customerID: CustomerID,
      step: Step,
      status: "Done" | "Failed" | "Skipped",
      error: string | null
    ) => Effect.Effect<void>
    readonly finish: (customerID: CustomerID, run: Run) => Effect.Effect<void>
    /** Ends the run, marking the remaining actions as failed. */
    readonly abandon: (customerID: CustomerID, run: Run, reason: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    RunsRepo,
    Effect.suspend(() => make)
  )
}

const runColumns = `automation_run_id::text as "automationRunID",
  coalesce(first_run_id, automation_run_id)::text as "firstRunID", depth, ticket_id as "ticketID",
  ticket_message_id as "ticketMessageID"`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const decodeRun = Schema.decodeUnknown(Schema.NonEmptyArray(Run))
  const decodeSteps = Schema.decodeUnknown(Schema.Array(Step))
  const decodeIds = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Schema.Int })))

  const findRun = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, automationRunID: Schema.String }),
    Result: Run,
    execute: (_) => sql`
      select ${sql.literal(runColumns)} from automation_run
      where customer_id = ${_.customerID} and automation_run_id = ${_.automationRunID}::bigint`
  })
  const findByReason = SqlSchema.findOne({
    Request: Key,
    Result: Run,
    execute: (_) => sql`
      select ${sql.literal(runColumns)} from automation_run
      where customer_id = ${_.customerID} and reason = ${_.reason}`
  })
  const change = (customerID: CustomerID, { messageActionID }: Step, values: Parameters<typeof sql.update>[0]) =>
    sql`
      update message_action set ${sql.update(values)}, run_at = clock_timestamp()
      where customer_id = ${customerID} and message_action_id = ${messageActionID}::bigint`.pipe(
      Effect.asVoid,
      Effect.orDie
    )

  const finish = (customerID: CustomerID, { automationRunID }: Run) =>
    sql`
      update automation_run set finished_at = clock_timestamp()
      where customer_id = ${customerID} and automation_run_id = ${automationRunID}::bigint`.pipe(
      Effect.asVoid,
      Effect.orDie
    )

  return RunsRepo.of({
    findChain: (customerID, automationRunID) => findRun({ customerID, automationRunID }).pipe(Effect.orDie),
    actionsOf: (customerID, firstRunID) =>
      sql`
        select 1 from automation_run
        where customer_id = ${customerID} and automation_run_id = ${firstRunID}::bigint for update`.pipe(
        Effect.zipRight(sql`
          select unnest(action_ids) as id from automation_run where customer_id = ${customerID}
            and (automation_run_id = ${firstRunID}::bigint or first_run_id = ${firstRunID}::bigint)`),
        Effect.flatMap(decodeIds),
        Effect.map((rows) => new Set(rows.map(({ id }) => id))),
        Effect.orDie
      ),
    findByReason: (customerID, reason) => findByReason({ customerID, reason }).pipe(Effect.orDie),
    insert: (customerID, request, parent, { skipped, steps }) =>
      Effect.gen(function* () {
        const rows = [
          ...steps.map((action) => ({ action, status: "Waiting", error: null })),
          ...skipped.map(({ action, reason }) => ({ action, status: "Skipped", error: reason }))
        ]
        const run = Arr.headNonEmpty(
          yield* decodeRun(
            yield* sql`
              insert into automation_run
                (customer_id, ticket_id, ticket_message_id, hook_name, reason, first_run_id, depth, action_ids)
              values (${customerID}, ${request.ticketID}, ${request.ticketMessageID}, ${request.hookName},
                ${request.reason}, ${Option.match(parent, { onNone: () => null, onSome: (chain) => chain.firstRunID })}::bigint,
                ${Option.match(parent, { onNone: () => 1, onSome: (chain) => chain.depth + 1 })},
                ${rows.map(({ action }) => action.actionID)}::int[])
              returning ${sql.literal(runColumns)}`
          )
        )
        if (rows.length > 0) {
          yield* sql`insert into message_action ${sql.insert(
            rows.map(({ action, error, status }, index) => ({
              customer_id: customerID,
              automation_run_id: run.automationRunID,
              ticket_message_id: request.ticketMessageID,
              position: index + 1,
              action_id: action.actionID,
              name: action.name,
              operation: action.operation,
              parameters: JSON.stringify(action.parameters),
              hook_name: action.hookName,
              topic_id: action.topicID,
              status,
              error
            }))
          )}`
        }
        return run
      }).pipe(Effect.orDie),
    nextStep: (customerID, { automationRunID }) =>
      sql`
        select message_action_id::text as "messageActionID", action_id as "actionID", operation, parameters, status,
          hook_name as "hookName", topic_id as "topicID",
          -- greatest ignores nulls.
          case when due_at is null then null
            else ceil(greatest(0, extract(epoch from due_at - clock_timestamp())))::int end as "waitSeconds"
        from message_action
        where customer_id = ${customerID} and automation_run_id = ${automationRunID}::bigint
          and status in ('Waiting', 'Running')
        order by position limit 1`.pipe(Effect.flatMap(decodeSteps), Effect.map(Arr.head), Effect.orDie),
    startWaiting: (customerID, { messageActionID }, seconds) =>
      sql`
        update message_action set due_at = clock_timestamp() + make_interval(secs => ${seconds}::float8)
        where customer_id = ${customerID} and message_action_id = ${messageActionID}::bigint`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    markRunning: (customerID, step) => change(customerID, step, { status: "Running" }),
    finishStep: (customerID, step, status, error) => change(customerID, step, { status, error }),
    finish,
    abandon: (customerID, run, reason) =>
      sql`
        update message_action set status = 'Failed', error = ${reason}, run_at = clock_timestamp()
        where customer_id = ${customerID} and automation_run_id = ${run.automationRunID}::bigint
          and status in ('Waiting', 'Running')`.pipe(Effect.orDie, Effect.zipRight(finish(customerID, run)))
  })
})
