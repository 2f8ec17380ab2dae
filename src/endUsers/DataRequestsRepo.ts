import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID, CustomerRepID, EndUserID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { JobID, JobStatus } from "../../schema/Jobs.ts"
import { BlobID } from "../files/BlobStore.ts"

const Counts = Schema.Record({ key: Schema.String, value: Schema.Int })
export type Counts = typeof Counts.Type

const Row = Schema.Struct({
  dataRequestID: Schema.UUID,
  customerID: CustomerID,
  endUserID: EndUserID,
  jobID: JobID,
  /** The representative who asked first; null when the operator did. */
  customerRepID: Schema.NullOr(CustomerRepID),
  status: JobStatus,
  requestedAt: Schema.DateTimeUtcFromDate,
  erasedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  ticketIDs: Schema.Array(TicketID),
  messageIDs: Schema.Array(TicketMessageID),
  blobIDs: Schema.Array(BlobID),
  finishedAt: Schema.NullOr(Schema.DateTimeUtcFromDate),
  counts: Counts,
  hash: Schema.NullOr(Schema.String),
  blobID: Schema.NullOr(BlobID),
  size: Schema.NullOr(Schema.NumberFromString),
  accessToken: Schema.UUID,
  expiresAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type DataRequest = typeof Row.Type

const Kind = Schema.Literal("Export", "Erasure")
export type DataRequestKind = typeof Kind.Type

const Asked = Schema.Struct({ customerID: CustomerID, endUserID: EndUserID, kind: Kind })

export class DataRequestsRepo extends Context.Tag("casework/DataRequestsRepo")<
  DataRequestsRepo,
  {
    /** The last request that is still valid: an export whose file has expired is not. */
    readonly find: (
      customerID: CustomerID,
      endUserID: EndUserID,
      kind: DataRequestKind
    ) => Effect.Effect<Option.Option<DataRequest>>
    readonly findByJob: (customerID: CustomerID, jobID: JobID) => Effect.Effect<Option.Option<DataRequest>>
    readonly findByToken: (accessToken: string) => Effect.Effect<Option.Option<DataRequest>>
    readonly insert: (
      customerID: CustomerID,
      request: {
        readonly endUserID: EndUserID
        readonly kind: DataRequestKind
        readonly customerRepID: CustomerRepID | null
        readonly jobID: JobID
      }
    ) => Effect.Effect<void>
    /** Lets another job continue a failed request. */
    readonly setJob: (request: DataRequest, jobID: JobID) => Effect.Effect<void>
    readonly noteErased: (
      request: DataRequest,
      erased: {
        readonly ticketIDs: ReadonlyArray<TicketID>
        readonly messageIDs: ReadonlyArray<TicketMessageID>
        readonly blobIDs: ReadonlyArray<BlobID>
        readonly counts: Counts
      }
    ) => Effect.Effect<void>
    readonly finishErasure: (request: DataRequest) => Effect.Effect<void>
    readonly setHash: (request: DataRequest, hash: string) => Effect.Effect<void>
    readonly finishExport: (
      request: DataRequest,
      file: { readonly blobID: BlobID; readonly hash: string; readonly counts: Counts; readonly hours: number }
    ) => Effect.Effect<void>
    /** Forgets the files of expired exports; the blob sweep removes them. */
    readonly deleteExpired: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    DataRequestsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`d.data_request_id as "dataRequestID", d.customer_id as "customerID",
    d.about_end_user as "endUserID", d.work as "jobID", d.customer_rep_id as "customerRepID", d.requested_at as "requestedAt", d.erased_at as "erasedAt",
    d.ticket_ids as "ticketIDs", d.message_ids as "messageIDs", d.blob_ids::text[] as "blobIDs",
    d.finished_at as "finishedAt", d.counts, d.hash, d.blob_id as "blobID", b.size::text as size,
    d.access_token as "accessToken", d.expires_at as "expiresAt",
    case when d.finished_at is not null then 'Succeeded' when d.erased_at is not null and j.status = 'Queued' then 'Running'
      when d.kind = 'Export' and j.status = 'Succeeded' then 'Failed' else coalesce(j.status, 'Failed') end as status`)
  const joined = sql`
    data_request d left join job j on j.customer_id = d.customer_id and j.job_id = d.work
    left join blob b on b.customer_id = d.customer_id and b.blob_id = d.blob_id`

  const find = SqlSchema.findOne({
    Request: Asked,
    Result: Row,
    execute: (_) => sql`
      select ${columns} from ${joined}
      where d.customer_id = ${_.customerID} and d.about_end_user = ${_.endUserID} and d.kind = ${_.kind}
        and (d.expires_at is null or d.expires_at > now())
      order by d.requested_at desc limit 1`
  })
  const findByJob = SqlSchema.findOne({
    Request: Schema.Struct({ customerID: CustomerID, jobID: JobID }),
    Result: Row,
    execute: (_) => sql`
      select ${columns} from ${joined} where d.customer_id = ${_.customerID} and d.work = ${_.jobID}::uuid`
  })
  const findByToken = SqlSchema.findOne({
    Request: Schema.String,
    Result: Row,
    execute: (accessToken) => sql`/* all customers: whoever has the token may have the file */
      select ${columns} from ${joined}
      where d.access_token = ${accessToken}::uuid and d.blob_id is not null and d.expires_at > now()`
  })
  const change = (request: Pick<DataRequest, "customerID" | "dataRequestID">, assignments: Statement.Fragment) =>
    sql`update data_request set ${assignments}
      where customer_id = ${request.customerID} and data_request_id = ${request.dataRequestID}::uuid`.pipe(
      Effect.asVoid,
      Effect.orDie
    )

  return DataRequestsRepo.of({
    find: (customerID, endUserID, kind) => Effect.orDie(find({ customerID, endUserID, kind })),
    findByJob: (customerID, jobID) => Effect.orDie(findByJob({ customerID, jobID })),
    findByToken: (accessToken) => Effect.orDie(findByToken(accessToken)),
    insert: (customerID, { customerRepID, endUserID, jobID, kind }) =>
      sql`insert into data_request (customer_id, about_end_user, kind, customer_rep_id, work)
        values (${customerID}, ${endUserID}, ${kind}, ${customerRepID}, ${jobID}::uuid)
        on conflict (customer_id, about_end_user) where kind = 'Erasure' do nothing`.pipe(Effect.asVoid, Effect.orDie),
    setJob: (request, jobID) => change(request, sql`work = ${jobID}::uuid`),
    noteErased: (request, { blobIDs, counts, messageIDs, ticketIDs }) =>
      change(
        request,
        sql`erased_at = now(), ticket_ids = ${ticketIDs}::int[], message_ids = ${messageIDs}::int[],
          blob_ids = ${blobIDs}::uuid[], counts = ${JSON.stringify(counts)}::jsonb`
      ),
    finishErasure: (request) => change(request, sql`finished_at = now(), blob_ids = '{}'`),
    setHash: (request, hash) => change(request, sql`hash = ${hash}`),
    finishExport: (request, { blobID, counts, hash, hours }) =>
      change(
        request,
        sql`finished_at = now(), expires_at = now() + make_interval(hours => ${hours}::int), blob_id = ${blobID},
          hash = ${hash}, counts = ${JSON.stringify(counts)}::jsonb`
      ),
    deleteExpired: sql`/* all customers: files that nobody may download any more */
      update data_request set blob_id = null where kind = 'Export' and expires_at < now() and blob_id is not null`.pipe(
      Effect.asVoid,
      Effect.orDie
    )
  })
})
