import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { ChannelID, type CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { addressParts } from "./AddressParts.ts"
import { type PersonalTableName, personalTable } from "./PersonalData.ts"
import { type FoundRows, makePersonalRows } from "./PersonalRowsSql.ts"
import type { Person } from "./PersonsRepo.ts"

/** The tables whose rows about the person have files. */
export const tablesWithFiles = ["ticket_message_attachment", "failed_mail", "data_request"] as const

export class ErasingRepo extends Context.Tag("casework/ErasingRepo")<
  ErasingRepo,
  {
    /** The channels that receive mail, in the order in which every transaction locks them. */
    readonly mailChannels: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<ChannelID>>
    /**
     * Locks the tickets before what belongs to them, as everywhere; including tickets of others that the person wrote
     * in.
     */
    readonly lockTickets: (person: Person) => Effect.Effect<void>
    /** Model calls about others' messages that quote the person's, and their results. */
    readonly forgetQuotes: (person: Person) => Effect.Effect<void>
    /** Drafts of answers to others that were made by such a model call. */
    readonly forgetDrafts: (person: Person) => Effect.Effect<void>
    /** What others' tickets derive from the messages that the person wrote there. */
    readonly forgetInTickets: (person: Person) => Effect.Effect<void>
    /**
     * Removes the person from the recipients of others' mails. The mails stay, and so does the thread they belong to.
     */
    readonly forgetAmongOthers: (person: Person) => Effect.Effect<void>
    /** Notes set-aside mails as known, so that no later import fetches them again. */
    readonly noteAsKnown: (person: Person, found: FoundRows) => Effect.Effect<void>
    readonly filesIn: (
      person: Person,
      found: FoundRows,
      table: (typeof tablesWithFiles)[number]
    ) => Effect.Effect<ReadonlyArray<BlobID>>
    /** Erases the table's rows about the person; returns how many there were. */
    readonly eraseRows: (person: Person, found: FoundRows, table: PersonalTableName) => Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.effect(
    ErasingRepo,
    Effect.suspend(() => make)
  )
}

const assignmentsOf = (erasing: Readonly<Record<string, string>>) =>
  Object.entries(erasing)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tracesOf = yield* makePersonalRows
  const decodeChannels = Schema.decodeUnknown(Schema.Array(Schema.Struct({ channelID: ChannelID })))
  const decodeBlobs = Schema.decodeUnknown(Schema.Array(Schema.Struct({ blobID: BlobID })))

  return ErasingRepo.of({
    mailChannels: (customerID) =>
      sql`
        select channel_id as "channelID" from channel
        where customer_id = ${customerID} and channel_type = 'Email' order by channel_id`.pipe(
        Effect.flatMap(decodeChannels),
        Effect.map((rows) => rows.map(({ channelID }) => channelID)),
        Effect.orDie
      ),

    lockTickets: ({ customerID, messageIDs, ticketIDs }) =>
      sql`
        select 1 from ticket where customer_id = ${customerID} and (ticket_id = any(${ticketIDs}::int[])
          or ticket_id in (
            select ticket_id from ticket_message
            where customer_id = ${customerID} and ticket_message_id = any(${messageIDs}::int[])))
        order by ticket_id for update`.pipe(Effect.asVoid, Effect.orDie),

    forgetQuotes: ({ customerID, messageIDs }) => {
      const { erasing } = personalTable("ai_run")
      return erasing === "delete"
        ? Effect.dieMessage("Questions about other people must not be deleted")
        : sql`
            update ai_run set ${sql.literal(assignmentsOf(erasing))}
            where customer_id = ${customerID} and quotes && ${messageIDs}::int[]
              and not coalesce(ticket_message_id = any(${messageIDs}::int[]), false)`.pipe(Effect.asVoid, Effect.orDie)
    },

    forgetDrafts: ({ customerID, messageIDs }) =>
      sql`
        update ticket_message set ai_reply = null, is_persons_draft = false, modified_at = now()
        where customer_id = ${customerID} and ai_reply is not null and ticket_message_id = any(array(
          select ticket_message_id from ai_run
          where customer_id = ${customerID} and purpose = 'Draft' and quotes && ${messageIDs}::int[]))`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),

    forgetInTickets: ({ customerID, messageIDs }) =>
      sql`
        update ticket t set history_summary = null, history_summary_message_id = null,
          subject = case when told.opened then null else t.subject end, modified_at = now()
        from (
          select m.ticket_id, bool_or(not exists (
              select from ticket_message earlier where earlier.customer_id = ${customerID}
                and earlier.ticket_id = m.ticket_id and earlier.ticket_message_id < m.ticket_message_id)) as opened
          from ticket_message m
          where m.customer_id = ${customerID} and m.ticket_message_id = any(${messageIDs}::int[])
          group by m.ticket_id) told
        where t.customer_id = ${customerID} and t.ticket_id = told.ticket_id`.pipe(Effect.asVoid, Effect.orDie),

    forgetAmongOthers: ({ addresses, customerID, marks, messageIDs }) =>
      sql`
        update ticket_message set to_address = null, modified_at = now()
        where customer_id = ${customerID} and not (ticket_message_id = any(${messageIDs}::int[]))
          and ${sql.literal(addressParts("to_address"))} && ${marks}::text[]`.pipe(
        Effect.zipRight(sql`
          update mail_message set participants = array(
            select one from unnest(participants) one where lower(one) <> all(${addresses}::text[]))
          where customer_id = ${customerID} and ticket_message_id is not null
            and lower(participants::text)::text[] && ${addresses}::text[]`),
        Effect.asVoid,
        Effect.orDie
      ),

    noteAsKnown: ({ customerID }, { failedMailIDs }) =>
      sql`
        insert into mail_message (customer_id, channel_id, external_id, content_hash)
        select f.customer_id, c.channel_id, f.external_id, 'erased' from failed_mail f
        join channel_folder c on c.customer_id = f.customer_id and c.channel_folder_id = f.channel_folder_id
        where f.customer_id = ${customerID} and f.failed_mail_id = any(${failedMailIDs}::int[])
        on conflict do nothing`.pipe(Effect.asVoid, Effect.orDie),

    filesIn: (person, found, table) =>
      sql`
        select blob_id as "blobID" from ${sql(table)}
        where ${tracesOf(person, found)[table]} and blob_id is not null`.pipe(
        Effect.flatMap(decodeBlobs),
        Effect.map((rows) => rows.map(({ blobID }) => blobID)),
        Effect.orDie
      ),

    eraseRows: (person, found, table) => {
      const { erasing } = personalTable(table)
      const rows = tracesOf(person, found)[table]
      const statement =
        erasing === "delete"
          ? sql`delete from ${sql(table)} where ${rows} returning 1`
          : sql`update ${sql(table)} set ${sql.literal(assignmentsOf(erasing))} where ${rows} returning 1`
      return Effect.map(Effect.orDie(statement), ({ length }) => length)
    }
  })
})
