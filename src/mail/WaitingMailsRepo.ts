import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { ChannelFolderID, ChannelID, CustomerID } from "../../schema/Ids.ts"
import type { ReadMail } from "./ReadMail.ts"

// As many as one conversation may have; the rest waits for the conversation's next mail.
const mostCalled = 200

// If a thread has gone on for years, only its newest mails count. The provider's Message-IDs are at most this long.
const mostAwaited = 50
const longestMessageID = 998

const Overdue = Schema.Struct({ customerID: CustomerID, folderID: ChannelFolderID, messageID: Schema.String })
type OverdueMail = typeof Overdue.Type

/** Mails that wait for the mail they answer: the folders of a mailbox are read in any order. */
export class WaitingMailsRepo extends Context.Tag("casework/WaitingMailsRepo")<
  WaitingMailsRepo,
  {
    /** Lets a mail wait that the customer sent itself and that belongs to no ticket yet. */
    readonly letWait: (customerID: CustomerID, number: number, mail: ReadMail) => Effect.Effect<void>
    /** Makes the mails due that have waited for a mail which is now in a ticket; returns their ids, oldest first. */
    readonly callWaiting: (
      customerID: CustomerID,
      channelID: ChannelID,
      mail: ReadMail
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Those of the given mails that are due and have not been imported again. */
    readonly findDue: (
      customerID: CustomerID,
      channelID: ChannelID,
      externalIDs: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** The mails of all customers that became due a while ago and have not come, with a folder of their channel. */
    readonly overdue: Effect.Effect<ReadonlyArray<OverdueMail>>
  }
>() {
  static readonly layer = Layer.effect(
    WaitingMailsRepo,
    Effect.suspend(() => make)
  )
}

const External = Schema.Struct({ externalID: Schema.String })
const InChannel = { customerID: CustomerID, channelID: ChannelID }

const idsOf = Effect.map((rows: ReadonlyArray<typeof External.Type>) => rows.map(({ externalID }) => externalID))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findDue = SqlSchema.findAll({
    Request: Schema.Struct({ ...InChannel, externalIDs: Schema.Array(Schema.String) }),
    Result: External,
    execute: (_) => sql`
      select external_id as "externalID" from mail_message
      where customer_id = ${_.customerID} and channel_id = ${_.channelID}
        and external_id = any(${_.externalIDs}::text[]) and is_due`
  })
  // Within the conversation, only mails written after this one and shared with its participants are called: no answer
  // is older than its question.
  const callWaiting = SqlSchema.findAll({
    Request: Schema.Struct({
      ...InChannel,
      internetMessageID: Schema.NullOr(Schema.String),
      conversationID: Schema.NullOr(Schema.String),
      participants: Schema.Array(Schema.String),
      date: Schema.NullOr(Schema.DateTimeUtcFromDate)
    }),
    Result: External,
    execute: (_) => sql`
      with waiting as (
        select mail_message_id from mail_message
        where customer_id = ${_.customerID} and channel_id = ${_.channelID} and waits_for is not null and not is_due
          and (waits_for && ${_.internetMessageID === null ? [] : [_.internetMessageID]}::text[]
            or conversation_id = ${_.conversationID} and participants && ${_.participants}::text[]
              and written_at >= ${_.date}::timestamptz)
        order by written_at, mail_message_id limit ${mostCalled}
      ), called as (
        update mail_message k set is_due = true, called_at = now() from waiting
        where k.customer_id = ${_.customerID} and k.mail_message_id = waiting.mail_message_id
        returning k.mail_message_id, k.external_id, k.written_at
      )
      select external_id as "externalID" from called order by written_at, mail_message_id`
  })
  // The node that made them due may have stopped or run an older version. After a week they are no longer looked for.
  const findOverdue = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Overdue,
    execute: () => sql`
      /* all customers: what comes round comes round for everybody */
      select k.customer_id as "customerID", f.channel_folder_id as "folderID", k.external_id as "messageID"
      from mail_message k
      join channel c on c.customer_id = k.customer_id and c.channel_id = k.channel_id and c.deleted_at is null
      cross join lateral (
        select channel_folder_id from channel_folder
        where customer_id = k.customer_id and channel_id = k.channel_id order by channel_folder_id limit 1) f
      where k.is_due and k.called_at between now() - interval '8 days' and now() - interval '30 minutes'
      order by k.called_at limit ${mostCalled}`
  })

  return WaitingMailsRepo.of({
    letWait: (customerID, number, { date, hints: { conversationID, inReplyTo, references } }) => {
      const awaited = [...inReplyTo, ...references.toReversed()].filter(({ length }) => length <= longestMessageID)
      if (awaited.length === 0 && conversationID === null) return Effect.void
      return sql`
        update mail_message set waits_for = ${awaited.slice(0, mostAwaited)}::text[], is_due = false,
          written_at = ${date === undefined ? null : DateTime.toDateUtc(date)}
        where customer_id = ${customerID} and mail_message_id = ${number}`.pipe(Effect.asVoid, Effect.orDie)
    },
    callWaiting: (customerID, channelID, mail) =>
      callWaiting({ ...mail, customerID, channelID, date: mail.date ?? null }).pipe(idsOf, Effect.orDie),
    findDue: (customerID, channelID, externalIDs) =>
      findDue({ customerID, channelID, externalIDs }).pipe(idsOf, Effect.orDie),
    overdue: findOverdue(undefined).pipe(Effect.orDie)
  })
})
