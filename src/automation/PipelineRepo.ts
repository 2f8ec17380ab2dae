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

/** The step that makes the draft. */
export const draftStep = "Draft"

/** The step of the actions that stand for the topics, and not for a hook of its name. */
export const topicStep = "Topic actions"

const Key = Schema.Struct({ customerID: CustomerID, ticketMessageID: TicketMessageID })

/** Which steps of a message's pipeline are behind it. */
export class PipelineRepo extends Context.Tag("casework/PipelineRepo")<
  PipelineRepo,
  {
    readonly finishedSteps: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<ReadonlyMap<string, StepOutcome["kind"]>>
    /**
     * Notes steps that are behind it, in their order, and forgets what the draft has kept for another attempt when it
     * is among them. Only while the claim holds.
     */
    readonly finishSteps: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      steps: ReadonlyArray<FinishedStep>,
      claim: JobClaim
    ) => Effect.Effect<void>
    /** Moves the message on, unless it is somewhere else by now. Only while the claim holds. */
    readonly setStatus: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      status: { readonly from: MessageStatus; readonly to: MessageStatus },
      claim: JobClaim
    ) => Effect.Effect<void>
    /**
     * Forgets the steps that failed, so that they are done again, or for which something was missing, and those that
     * were passed over, which may now be wanted, unless somebody has set their actions going meanwhile; answers whether
     * any had failed, or had something missing.
     */
    readonly forgetFailures: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<{ readonly hadFailed: boolean; readonly wasWanting: boolean }>
    /**
     * Makes a run that waits go on at once, with the steps that are to be done again; answers what there is of it. Two
     * of one message must not go on side by side.
     */
    readonly hasten: (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<"Running" | "Queued" | "None">
    /** Whether its ticket was made for it. */
    readonly opensTicket: (customerID: CustomerID, ticketMessageID: TicketMessageID) => Effect.Effect<boolean>
    /** Gives the ticket a language when it has none yet. */
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
      /** Together with the note of its end: before, another attempt may come for it; later, the next draft would. */
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
                // A microsecond apart, so that the story keeps their order.
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
