import { SqlClient, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { ChannelID, type CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { MailMessagesRepo } from "../mail/MailMessagesRepo.ts"
import { makeWithdrawDrafts } from "../mail/WithdrawDrafts.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { addressParts } from "./AddressParts.ts"
import type { Counts } from "./DataRequestsRepo.ts"
import { type PersonalTableName, personalTable, personalTables } from "./PersonalData.ts"
import type { Person } from "./PersonsRepo.ts"
import { type FoundRows, makeTraces } from "./Traces.ts"

/** Removes what is known of a person. Everything here belongs into one transaction. */
export class Erasing extends Context.Tag("casework/Erasing")<
  Erasing,
  {
    /** No mail comes in until the transaction ends: one that comes later finds no thread to go on with. */
    readonly holdMail: (customerID: CustomerID) => Effect.Effect<void>
    /** Work on the person's messages that waits or runs; it loses its claim and writes nothing more. */
    readonly stopWork: (person: Person, found: FoundRows) => Effect.Effect<number>
    /** Everything else; answers how much there was and which files are left over. */
    readonly erase: (
      person: Person,
      found: FoundRows
    ) => Effect.Effect<{ readonly counts: Counts; readonly blobIDs: ReadonlyArray<BlobID> }>
  }
>() {
  static readonly layer = Layer.effect(
    Erasing,
    Effect.suspend(() => make)
  )
}

const withFiles = ["ticket_message_attachment", "failed_mail", "data_request"] as const

const assignmentsOf = (erasing: Readonly<Record<string, string>>) =>
  Object.entries(erasing)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const mails = yield* MailMessagesRepo
  const withdrawDrafts = yield* makeWithdrawDrafts
  const tracesOf = yield* makeTraces
  const decodeChannels = Schema.decodeUnknown(Schema.Array(Schema.Struct({ channelID: ChannelID })))
  const decodeBlobs = Schema.decodeUnknown(Schema.Array(Schema.Struct({ blobID: BlobID })))

  const eraseTable = (table: PersonalTableName, rows: Statement.Fragment) => {
    const { erasing } = personalTable(table)
    const statement =
      erasing === "delete"
        ? sql`delete from ${sql(table)} where ${rows} returning 1`
        : sql`update ${sql(table)} set ${sql.literal(assignmentsOf(erasing))} where ${rows} returning 1`
    return Effect.map(Effect.orDie(statement), ({ length }) => length)
  }

  const filesIn = (table: (typeof withFiles)[number], rows: Statement.Fragment) =>
    sql`select blob_id as "blobID" from ${sql(table)} where ${rows} and blob_id is not null`.pipe(
      Effect.flatMap(decodeBlobs),
      Effect.orDie
    )

  /** The tickets before what belongs to them, as everywhere; also those of others that the person has written in. */
  const lockTickets = ({ customerID, messageIDs, ticketIDs }: Person) =>
    sql`
      select 1 from ticket where customer_id = ${customerID} and (ticket_id = any(${ticketIDs}::int[])
        or ticket_id in (
          select ticket_id from ticket_message
          where customer_id = ${customerID} and ticket_message_id = any(${messageIDs}::int[])))
      order by ticket_id for update`.pipe(Effect.orDie)

  /** Questions about others' messages that quote the person's, and what was made of them. */
  const forgetQuotes = ({ customerID, messageIDs }: Person) => {
    const { erasing } = personalTable("ai_run")
    return erasing === "delete"
      ? Effect.dieMessage("A question about somebody else stays")
      : sql`
          update ai_run set ${sql.literal(assignmentsOf(erasing))}
          where customer_id = ${customerID} and quotes && ${messageIDs}::int[]
            and not coalesce(ticket_message_id = any(${messageIDs}::int[]), false)`.pipe(Effect.orDie)
  }

  /** Drafts of answers to others for which such a question was asked. */
  const forgetDrafts = ({ customerID, messageIDs }: Person) =>
    sql`
      update ticket_message set ai_reply = null, is_persons_draft = false, modified_at = now()
      where customer_id = ${customerID} and ai_reply is not null and ticket_message_id = any(array(
        select ticket_message_id from ai_run
        where customer_id = ${customerID} and purpose = 'Draft' and quotes && ${messageIDs}::int[]))`.pipe(Effect.orDie)

  /** What others' tickets say of the messages that the person wrote there. */
  const forgetInTickets = ({ customerID, messageIDs }: Person) =>
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
      where t.customer_id = ${customerID} and t.ticket_id = told.ticket_id`.pipe(Effect.orDie)

  /** What others sent stays, and thereby where it belongs; only that it went to the person, too, does not. */
  const forgetAmongOthers = ({ addresses, customerID, marks, messageIDs }: Person) =>
    sql`
      update ticket_message set to_address = null, modified_at = now()
      where customer_id = ${customerID} and not (ticket_message_id = any(${messageIDs}::int[]))
        and ${sql.literal(addressParts("to_address"))} && ${marks}::text[]`.pipe(
      Effect.zipRight(sql`
        update mail_message set participants = array(
          select one from unnest(participants) one where lower(one) <> all(${addresses}::text[]))
        where customer_id = ${customerID} and ticket_message_id is not null
          and lower(participants::text)::text[] && ${addresses}::text[]`),
      Effect.orDie
    )

  /** A mail that was set aside is noted as known, so that no later import fetches it again. */
  const noteAsKnown = ({ customerID }: Person, { failedMailIDs }: FoundRows) =>
    sql`
      insert into mail_message (customer_id, channel_id, external_id, content_hash)
      select f.customer_id, c.channel_id, f.external_id, 'erased' from failed_mail f
      join channel_folder c on c.customer_id = f.customer_id and c.channel_folder_id = f.channel_folder_id
      where f.customer_id = ${customerID} and f.failed_mail_id = any(${failedMailIDs}::int[])
      on conflict do nothing`.pipe(Effect.orDie)

  return Erasing.of({
    holdMail: fn("Erasing.holdMail")(function* (customerID) {
      const channels = yield* sql`
        select channel_id as "channelID" from channel
        where customer_id = ${customerID} and channel_type = 'Email' order by channel_id`.pipe(
        Effect.flatMap(decodeChannels)
      )
      for (const { channelID } of channels) yield* mails.lock(customerID, channelID)
    }, Effect.orDie),

    stopWork: (person, found) => eraseTable("job", tracesOf(person, found).job),

    erase: fn("Erasing.erase")(function* (person, found) {
      const traces = tracesOf(person, found)
      yield* lockTickets(person)
      yield* withdrawDrafts(person.customerID, { ticketMessageIDs: person.messageIDs })
      yield* forgetQuotes(person)
      yield* forgetDrafts(person)
      yield* forgetInTickets(person)
      yield* forgetAmongOthers(person)
      yield* noteAsKnown(person, found)
      const files = yield* Effect.forEach(withFiles, (table) => filesIn(table, traces[table]))
      const counts: Record<string, number> = {}
      for (const table of Struct.keys(personalTables)) {
        counts[personalTable(table).name] = yield* eraseTable(table, traces[table])
      }
      return { counts, blobIDs: files.flat().map(({ blobID }) => blobID) }
    })
  })
})
