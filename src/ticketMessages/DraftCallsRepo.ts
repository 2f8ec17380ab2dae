import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CustomerID, DocumentID, TicketMessageID } from "../../schema/Ids.ts"
import { JobID } from "../../schema/Jobs.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import type { Retention } from "../platform/queue/Retention.ts"

/** Calls for drafts whose end was never recorded. A job that is still queued, for however long, may need its calls. */
export const draftCallRetention: Retention = {
  table: "draft_call",
  since: "begun_at",
  for: "1 hour",
  where: "not exists (select from job where job_id = draft_call.work and status in ('Queued', 'Running'))"
}

/** What a call returned for the prompt, or why it returned nothing. */
export interface Called {
  readonly content: string
  readonly error: string | null
}

const Call = Schema.Struct({ ticketMessageID: TicketMessageID, documentID: DocumentID })
export type DraftCall = typeof Call.Type

const Kept = Schema.Struct({
  content: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String),
  hasEnded: Schema.Boolean
})

/** Calls for a draft that must not be made twice, kept as long as another attempt may need their results. */
export class DraftCallsRepo extends Context.Tag("casework/DraftCallsRepo")<
  DraftCallsRepo,
  {
    /** The call if this job has begun it, in whichever attempt; without a result if its end was not recorded. */
    readonly find: (
      customerID: CustomerID,
      call: DraftCall,
      claim: JobClaim
    ) => Effect.Effect<Option.Option<{ readonly result: Option.Option<Called> }>>
    /** Only while the claim holds. Not inside a transaction: it must be committed before the call is sent. */
    readonly begin: (customerID: CustomerID, call: DraftCall, claim: JobClaim) => Effect.Effect<void>
    /** Only while the claim holds. */
    readonly finish: (customerID: CustomerID, call: DraftCall, result: Called, claim: JobClaim) => Effect.Effect<void>
    /** Must run together with recording the draft's end: otherwise another attempt would make the calls again. */
    readonly forget: (customerID: CustomerID, ticketMessageID: TicketMessageID, claim: JobClaim) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    DraftCallsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, work: JobID, ...Call.fields }),
    Result: Kept,
    execute: (_) => sql`
      select content, error, ended_at is not null as "hasEnded" from draft_call
      where customer_id = ${_.customerID} and ticket_message_id = ${_.ticketMessageID}
        and work = ${_.work}::uuid and document_id = ${_.documentID}`
  })

  return DraftCallsRepo.of({
    find: (customerID, call, { jobID }) =>
      find({ customerID, work: jobID, ...call }).pipe(
        Effect.map(
          Option.map(({ content, error, hasEnded }) => ({
            result: hasEnded ? Option.some({ content: content ?? "", error }) : Option.none()
          }))
        ),
        Effect.orDie
      ),
    begin: (customerID, { documentID, ticketMessageID }, claim) =>
      claim.write(
        (holding) => sql`
          with claim as (${holding}), begun as (
            insert into draft_call (customer_id, ticket_message_id, work, document_id)
            select ${customerID}, ${ticketMessageID}, ${claim.jobID}::uuid, ${documentID} from claim)
          select 1 from claim`
      ),
    finish: (customerID, { documentID, ticketMessageID }, { content, error }, claim) =>
      claim.write(
        (holding) => sql`
          with claim as (${holding}), ended as (
            update draft_call set content = ${content}, error = ${error}, ended_at = clock_timestamp() from claim
            where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID}
              and work = ${claim.jobID}::uuid and document_id = ${documentID})
          select 1 from claim`
      ),
    forget: (customerID, ticketMessageID, { jobID }) =>
      sql`
        delete from draft_call
        where customer_id = ${customerID} and ticket_message_id = ${ticketMessageID} and work = ${jobID}::uuid`.pipe(
        Effect.asVoid,
        Effect.orDie
      )
  })
})
