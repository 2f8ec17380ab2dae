import { SqlClient, SqlSchema } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, type Option, Schema } from "effect"
import { ChannelFolderID, CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { inTransaction } from "../platform/database/InTransaction.ts"
import { importMessage } from "./MailJobs.ts"

const FailedMail = Schema.Struct({
  customerID: CustomerID,
  folderID: ChannelFolderID,
  messageID: Schema.String,
  attempts: Schema.Int,
  error: Schema.String
})
export type FailedMail = typeof FailedMail.Type

const SetAsideMail = Schema.Struct({
  ...FailedMail.fields,
  failedMailID: Schema.Int,
  /** Its source, if that could be stored. */
  blobID: Schema.NullOr(BlobID),
  /** Whether its channel still exists: without it there is no mailbox to fetch it from. */
  hasChannel: Schema.Boolean
})
export type SetAsideMail = typeof SetAsideMail.Type

const mostAgain = 1000

const hasChannel = `exists (
  select from channel_folder f join channel c on c.customer_id = f.customer_id and c.channel_id = f.channel_id
  where f.customer_id = failed_mail.customer_id and f.channel_folder_id = failed_mail.channel_folder_id
    and c.deleted_at is null)`

const noLongerThere = "It is no longer in the mailbox; what is kept here is its source"

/** Mails that could not be imported yet. */
export class FailedMailsRepo extends Context.Tag("casework/FailedMailsRepo")<
  FailedMailsRepo,
  {
    readonly record: (
      customerID: CustomerID,
      folderID: ChannelFolderID,
      messageID: string,
      error: string
    ) => Effect.Effect<void>
    /** Sets the mail aside: its attempts are over for now. */
    readonly setAside: (mail: Omit<FailedMail, "attempts">, source: BlobID | null) => Effect.Effect<void>
    readonly hasSource: (mail: Omit<FailedMail, "attempts">) => Effect.Effect<boolean>
    readonly delete: (customerID: CustomerID, folderID: ChannelFolderID, messageID: string) => Effect.Effect<void>
    /** Sets a mail that has left the mailbox aside for good if its source is stored; returns whether it is. */
    readonly keepLast: (customerID: CustomerID, folderID: ChannelFolderID, messageID: string) => Effect.Effect<boolean>
    /** Deletes the mails that have been imported another way in the meantime. */
    readonly deleteImported: (customerID: CustomerID, folderID: ChannelFolderID) => Effect.Effect<void>
    /** The set-aside mails of all customers. They stay set aside while they are tried again. */
    readonly setAsideMails: Effect.Effect<ReadonlyArray<SetAsideMail>>
    /** A set-aside mail of any customer. */
    readonly findSetAside: (failedMailID: number) => Effect.Effect<Option.Option<SetAsideMail>>
    /**
     * Deletes a mail and its attempts, unless it is not set aside any more; returns whether it was. A running attempt
     * loses its claim and writes nothing more. The source goes with the files that nobody refers to.
     */
    readonly discard: (mail: SetAsideMail) => Effect.Effect<boolean>
    /**
     * The set-aside mails of all customers that are due for another try: after half an hour during their first day,
     * after a day during the following week. Mails that have left their mailbox are excluded: only the operator knows
     * whether they have come back.
     */
    readonly dueAgain: Effect.Effect<ReadonlyArray<FailedMail>>
  }
>() {
  static readonly layer = Layer.effect(
    FailedMailsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const of = (customerID: CustomerID, folderID: ChannelFolderID, messageID: string) => sql`
    customer_id = ${customerID} and channel_folder_id = ${folderID} and external_id = ${messageID}`
  const setAside = sql.literal(`
    select failed_mail_id as "failedMailID", customer_id as "customerID", channel_folder_id as "folderID",
      external_id as "messageID", attempts, error, blob_id as "blobID", ${hasChannel} as "hasChannel"
    from failed_mail where set_aside_at is not null`)
  const setAsideMails = SqlSchema.findAll({
    Request: Schema.Void,
    Result: SetAsideMail,
    execute: () => sql`
      /* all customers: the operator tries the mail of the whole service again */
      ${setAside} order by failed_mail_id`
  })
  const findSetAside = SqlSchema.findOne({
    Request: Schema.Int,
    Result: SetAsideMail,
    execute: (failedMailID) => sql`
      /* all customers: the operator looks after the mail of the whole service */
      ${setAside} and failed_mail_id = ${failedMailID}`
  })
  const dueAgain = SqlSchema.findAll({
    Request: Schema.Void,
    Result: FailedMail,
    execute: () => sql`
      /* all customers: what comes round comes round for everybody */
      ${setAside} and (created_at > now() - interval '1 day' and set_aside_at <= now() - interval '30 minutes'
          or created_at > now() - interval '8 days' and set_aside_at <= now() - interval '1 day')
        and error <> ${noLongerThere}
        and ${sql.literal(hasChannel)}
      order by set_aside_at limit ${mostAgain}`
  })

  return FailedMailsRepo.of({
    record: (customerID, folderID, messageID, error) =>
      sql`
        insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error)
        values (${customerID}, ${folderID}, ${messageID}, 1, ${error})
        on conflict (customer_id, channel_folder_id, external_id) do update
          set attempts = failed_mail.attempts + 1, error = excluded.error, updated_at = now()`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    setAside: ({ customerID, error, folderID, messageID }, source) =>
      sql`
        insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at, blob_id)
        values (${customerID}, ${folderID}, ${messageID}, 1, ${error}, now(), ${source})
        on conflict (customer_id, channel_folder_id, external_id) do update
          set set_aside_at = now(), error = excluded.error, blob_id = coalesce(failed_mail.blob_id, excluded.blob_id)`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    delete: (customerID, folderID, messageID) =>
      sql`delete from failed_mail where ${of(customerID, folderID, messageID)}`.pipe(Effect.asVoid, Effect.orDie),
    keepLast: (customerID, folderID, messageID) =>
      sql`
        update failed_mail set set_aside_at = now(), error = ${noLongerThere}, updated_at = now()
        where ${of(customerID, folderID, messageID)} and blob_id is not null returning 1`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    deleteImported: (customerID, folderID) =>
      sql`
        delete from failed_mail failed using channel_folder f, mail_message m
        where failed.customer_id = ${customerID} and failed.channel_folder_id = ${folderID}
          and f.customer_id = failed.customer_id and f.channel_folder_id = failed.channel_folder_id
          and m.customer_id = f.customer_id and m.channel_id = f.channel_id and m.external_id = failed.external_id
          and not m.is_due`.pipe(Effect.asVoid, Effect.orDie),
    hasSource: ({ customerID, folderID, messageID }) =>
      sql`select 1 from failed_mail where ${of(customerID, folderID, messageID)} and blob_id is not null`.pipe(
        Effect.map(({ length }) => length > 0),
        Effect.orDie
      ),
    setAsideMails: setAsideMails(undefined).pipe(Effect.orDie),
    findSetAside: (failedMailID) => Effect.orDie(findSetAside(failedMailID)),
    discard: ({ customerID, failedMailID, folderID, messageID }) =>
      sql`
        delete from job where customer_id = ${customerID} and kind = ${importMessage.kind}
          and status in ('Queued', 'Running') and payload ->> 'folderID' = ${String(folderID)}
          and payload ->> 'messageID' = ${messageID}`.pipe(
        Effect.zipRight(sql`
          delete from failed_mail
          where customer_id = ${customerID} and failed_mail_id = ${failedMailID} and set_aside_at is not null
          returning 1`),
        // Without it everything stays, the job too.
        Effect.flatMap(Arr.head),
        inTransaction(sql),
        Effect.isSuccess
      ),
    dueAgain: dueAgain(undefined).pipe(Effect.orDie)
  })
})
