import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import type { MessageStatus } from "../../schema/TicketMessages.ts"
import { runActions, runPipeline } from "../events/AutomationJobs.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { StepKind, type StepOutcome } from "./StepOutcome.ts"

export interface FinishedStep extends StepOutcome {
  readonly step: string
}

export const draftStep = "Draft"

/** The step that runs the actions mapped to topics rather than to a hook of the step's name. */
export const topicStep = "Topic actions"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })

/** Records which steps of a message's pipeline are finished. */
export class PipelineRepo extends Context.Tag("casework/PipelineRepo")<
  PipelineRepo,
  {
    readonly finishedSteps: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<ReadonlyMap<string, StepOutcome["kind"]>>
    /**
     * Records finished steps in their order and, when the draft is among them, deletes what was kept for another
     * attempt at it. Only while the claim holds.
     */
    readonly finishSteps: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      steps: ReadonlyArray<FinishedStep>,
      claim: JobClaim
    ) => Effect.Effect<void>
    /** Changes the message's status, unless it has changed meanwhile. Only while the claim holds. */
    readonly setStatus: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      status: { readonly from: MessageStatus; readonly to: MessageStatus },
      claim: JobClaim
    ) => Effect.Effect<void>
    /**
     * Forgets the steps that failed or lacked something, so that they run again, and the skipped ones that may now be
     * wanted, unless their actions were started meanwhile. Returns whether any had failed, or had lacked something.
     */
    readonly forgetFailures: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<{ readonly hadFailed: boolean; readonly wasWanting: boolean }>
    /**
     * Makes a waiting run continue at once with the steps to repeat, and returns the state of the run. Two runs of one
     * message must not proceed side by side.
     */
    readonly hasten: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<"Running" | "Queued" | "None">
    /** Whether the ticket was created for this message. */
    readonly opensTicket: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<boolean>
    /** Sets the ticket's language if it has none yet. */
    readonly setLanguage: (customerID: CustomerID, ticketID: number, language: string) => Effect.Effect<void>
    readonly hasLanguage: (customerID: CustomerID, ticketID: number) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    PipelineRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const finished = SqlSchema.findAll({
        Request: Key,
        Result: Schema.Struct({ step: Schema.String, kind: StepKind }),
        execute: (_) => sql`
          select step, kind from pipeline_step
          where customer_id = ${_.customerID} and ticket_message_id = ${_.ticketMessageID}`
      })
      /**
       * Deleted together with recording the end of the draft: earlier, another attempt may need them; later, the next
       * draft would.
       */
      const forgetting = (customerID: CustomerID, ticketMessageID: TicketMessageID, { jobID }: JobClaim) => sql`,
        forgotten as (
          delete from draft_call using claim where draft_call.customer_id = ${customerID}
            and draft_call.ticket_message_id = ${ticketMessageID} and draft_call.work = ${jobID}::uuid)`
      return {
        finishedSteps: (customerID, ticketMessageID) =>
          finished({ customerID, ticketMessageID }).pipe(
            Effect.map((rows) => new Map(rows.map(({ kind, step }) => [step, kind]))),
            Effect.orDie
          ),
        finishSteps: (customerID, ticketMessageID, steps, claim) =>
          steps.length === 0
            ? Effect.void
            : claim.write(
                // One microsecond apart, so that the trace keeps their order.
                (holding) => sql`
                  with claim as (${holding}), noted as (
                    insert into pipeline_step (customer_id, ticket_message_id, step, kind, outcome, at)
                    select ${customerID}, ${ticketMessageID}, done.step, done.kind, done.outcome,
                      clock_timestamp() + done.place * interval '1 microsecond'
                    from claim, unnest(${steps.map(({ step }) => step)}::text[],
                      ${steps.map(({ kind }) => kind)}::text[],
                      ${steps.map(({ outcome }) => outcome.slice(0, 500))}::text[])
                      with ordinality done (step, kind, outcome, place)
                    on conflict do nothing)
                    ${steps.some(({ step }) => step === draftStep) ? forgetting(customerID, ticketMessageID, claim) : sql``}
                  select 1 from claim`
              ),
        setStatus: (customerID, ticketMessageID, { from, to }, claim) =>
          claim.write(
            (holding) => sql`
              with claim as (${holding}), moved as (
                update ticket_message set status = ${to}, modified_at = now() from claim
                where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID} and status = ${from})
              select 1 from claim`
          ),
        forgetFailures: (customerID, ticketMessageID) =>
          sql<{ hadFailed: boolean; wasWanting: boolean }>`
            delete from pipeline_step s where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
              and (kind in ('Failed', 'Wanting') or kind in ('NotNeeded', 'InSpam')
                and not exists (select from automation_run r where r.customer_id = ${customerID}
                  and r.ticket_message_id = ${ticketMessageID}
                  and lower(coalesce(r.hook_name, ${topicStep})) = lower(s.step))
                and not exists (select from job j where j.customer_id = ${customerID} and j.kind = ${runActions.kind}
                  and j.status in ('Queued', 'Running') and j.payload ->> 'ticketMessageID' = ${String(ticketMessageID)}
                  and lower(coalesce(j.payload ->> 'hookName', ${topicStep})) = lower(s.step)))
            returning kind = 'Failed' as "hadFailed", kind = 'Wanting' as "wasWanting"`.pipe(
            Effect.map((rows) => ({
              hadFailed: rows.some(({ hadFailed }) => hadFailed),
              wasWanting: rows.some(({ wasWanting }) => wasWanting)
            })),
            Effect.orDie
          ),
        hasten: (customerID, ticketMessageID) =>
          sql<{ status: "Running" | "Queued" }>`
            update job set due_at = case status when 'Queued' then least(due_at, now()) else due_at end
            where customer_id = ${customerID} and kind = ${runPipeline.kind} and status in ('Queued', 'Running')
              and payload ->> 'ticketMessageID' = ${String(ticketMessageID)}
            returning status`.pipe(
            Effect.map((rows) => rows.find(({ status }) => status === "Running")?.status ?? rows[0]?.status ?? "None"),
            Effect.orDie
          ),
        opensTicket: (customerID, ticketMessageID) =>
          sql`
            select 1 from event where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
              and kind = 'MessageReceived' and details ->> 'opensTicket' = 'true'`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        setLanguage: (customerID, ticketID, language) =>
          sql`
            update ticket set language = ${language}
            where customer_id = ${customerID} and ticket_id = ${ticketID} and language is null`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        hasLanguage: (customerID, ticketID) =>
          sql`
            select 1 from ticket
            where customer_id = ${customerID} and ticket_id = ${ticketID} and language is not null`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      }
    })
  )
}
