import { SqlClient, type Statement } from "@effect/sql"
import { Effect } from "effect"
import { addressParts } from "./AddressParts.ts"
import type { PersonalTableName } from "./PersonalData.ts"
import type { Person } from "./PersonsRepo.ts"

const escaped = (word: string) => word.replaceAll(/[[\]\\.^$*+?(){}|-]/g, "\\$&")

/** Matches any mark as a whole: anna@mail.example is not in joanna@mail.example. */
const patternOf = (marks: ReadonlyArray<string>) =>
  `(^|[^[:alnum:]._+-])(${marks.map(escaped).join("|")})($|[^[:alnum:]_-])`

/** All string values in a JSON document, without the names of its fields. */
const stringsIn = (column: string) =>
  `(select string_agg(said #>> '{}', E'\\n') from jsonb_path_query(${column}, 'strict $.**') said
    where jsonb_typeof(said) = 'string')`

/** Rows found beforehand that cannot be tied to a person by a key alone. */
export interface FoundRows {
  readonly failedMailIDs: ReadonlyArray<number>
  readonly externalIDs: ReadonlyArray<string>
  /** Runs that are about no message. */
  readonly aiRunIDs: ReadonlyArray<number>
  /** The running job, which must not erase itself. */
  readonly jobID: string
}

/** Whether a text contains an address, a number or a key of the person. */
export const mentionsOf = (sql: SqlClient.SqlClient, { marks }: Person) => {
  const pattern = patternOf(marks)
  return (column: string) =>
    marks.length === 0 ? sql`false` : sql`coalesce(lower(${sql.literal(column)}) ~ ${pattern}, false)`
}

/** Mails in the outbox about the person's messages, or to the person. Other text in them may be others' words. */
export const mailsOf = (sql: SqlClient.SqlClient, { addresses, marks, messageIDs }: Person) => sql`(
  ticket_message_id = any(${messageIDs}::int[]) or lower(recipient) = any(${addresses}::text[])
  or ${sql.literal(addressParts("recipient"))} && ${marks}::text[])`

/** Which rows of each table are about a person. */
export const makePersonalRows = Effect.map(SqlClient.SqlClient, (sql) => (person: Person, found: FoundRows) => {
  const { addresses, customerID, endUserID, messageIDs, ticketIDs } = person
  const ours = sql`customer_id = ${customerID}`
  const inMessages = sql`ticket_message_id = any(${messageIDs}::int[])`
  const inTickets = sql`ticket_id = any(${ticketIDs}::int[])`
  const mentions = mentionsOf(sql, person)
  const names = (column: string, key: string, ids: ReadonlyArray<number>) =>
    sql`substring(${sql.literal(column)} from ${`"${key}" ?: ?"?([0-9]{1,9})\\y`})::int = any(${ids}::int[])`

  const rows: Readonly<Record<PersonalTableName, Statement.Fragment>> = {
    job: sql`${ours} and job_id <> ${found.jobID}::uuid and (
      ${names("payload::text", "ticketMessageID", messageIDs)} or payload ->> 'messageID' = any(${found.externalIDs}::text[])
      or ${mentions(stringsIn("payload"))} or ${mentions("error")})`,
    idempotency: sql`${ours} and (${names("body", "messageID", messageIDs)} or ${names("body", "ticketID", ticketIDs)}
      or ${names("body", "EndUserID", [endUserID])} or ${mentions("body")})`,
    ticket_message_attachment: sql`${ours} and ${inMessages}`,
    ai_run: sql`${ours} and (${inMessages} or ai_run_id = any(${found.aiRunIDs}::int[]))`,
    event: sql`${ours} and (${inMessages} or ${inTickets})`,
    pipeline_step: sql`${ours} and ${inMessages}`,
    draft_call: sql`${ours} and ${inMessages}`,
    message_action: sql`${ours} and (${inMessages} or automation_run_id in (
      select r.automation_run_id from automation_run r
      where r.customer_id = ${customerID} and r.ticket_id = any(${ticketIDs}::int[])))`,
    mail_message: sql`${ours} and (${inMessages}
      or ticket_message_id is null and lower(participants::text)::text[] && ${addresses}::text[])`,
    failed_mail: sql`${ours} and (failed_mail_id = any(${found.failedMailIDs}::int[]) or ${mentions("error")})`,
    channel_folder: sql`${ours} and ${mentions("last_error")}`,
    outbox_mail: sql`${ours} and ${mailsOf(sql, person)}`,
    data_request: sql`${ours} and about_end_user = ${endUserID} and kind = 'Export'`,
    ticket_message: sql`${ours} and ${inMessages}`,
    ticket: sql`${ours} and ${inTickets}`,
    end_user_uid: sql`${ours} and end_user_id = ${endUserID}`,
    end_user: sql`${ours} and end_user_id = ${endUserID}`
  }
  return rows
})
