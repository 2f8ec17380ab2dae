import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { CustomerID, TicketMessageID } from "../../../schema/Ids.ts"
import { inTransaction } from "../database/InTransaction.ts"
import { fence } from "../queue/JobClaim.ts"
import type { Retention } from "../queue/Retention.ts"
import { Secrets } from "../secrets/Secrets.ts"

const Content = Schema.parseJson(Schema.Struct({ subject: Schema.String, text: Schema.String }))

const Row = Schema.Struct({
  outboxMailID: Schema.Int,
  customerID: CustomerID,
  recipient: Schema.String,
  content: Schema.String,
  createdAt: Schema.DateFromSelf
})

const known = ({ createdAt, outboxMailID, recipient }: typeof Row.Type) => ({ outboxMailID, to: recipient, createdAt })

const place = (customerID: CustomerID) => ({ table: "outbox_mail", column: "content", customerID })

const readAtOnce = 200

/** How long a person may still look for a mail. */
export const outboxDays = 90

export const outboxRetention: Retention = { table: "outbox_mail", since: "created_at", for: `${outboxDays} days` }

interface KeepableMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same for every attempt at one message: only the mail of the last attempt is kept. */
  readonly messageId?: string
  readonly about?: TicketMessageID
}

interface KeptMail {
  readonly outboxMailID: number
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
}

/** Mail that could not be sent anywhere. Its content is encrypted, since it may hold a reset link. */
export class Outbox extends Context.Tag("casework/Outbox")<
  Outbox,
  {
    /**
     * Keeps a mail. A job's mail is kept only while the job has its claim, so that nothing is kept of a message that
     * was erased meanwhile.
     */
    readonly keep: (customerID: CustomerID, mail: KeepableMail) => Effect.Effect<number>
    /** The newest mails. One whose key is missing must not hide the others: its subject is "(unreadable)". */
    readonly newest: (count: number) => Effect.Effect<ReadonlyArray<KeptMail>>
    /** The mails with these ids, read in batches; those whose key is missing as in `newest`. */
    readonly each: (customerID: CustomerID, outboxMailIDs: ReadonlyArray<number>) => Stream.Stream<KeptMail>
    readonly find: (outboxMailID: number) => Effect.Effect<Option.Option<KeptMail>>
  }
>() {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets
      const insert = SqlSchema.single({
        Request: Schema.Struct({
          customerID: CustomerID,
          recipient: Schema.String,
          content: Schema.String,
          messageID: Schema.NullOr(Schema.String),
          about: Schema.NullOr(TicketMessageID)
        }),
        Result: Schema.Struct({ outboxMailID: Schema.Int }),
        execute: (_) => sql`
          insert into outbox_mail (customer_id, recipient, content, message_id, ticket_message_id)
          values (${_.customerID}, ${_.recipient}, ${_.content}, ${_.messageID}, ${_.about})
          on conflict (customer_id, message_id) do update set content = excluded.content,
            ticket_message_id = coalesce(excluded.ticket_message_id, outbox_mail.ticket_message_id)
          returning outbox_mail_id as "outboxMailID"`
      })
      const columns = sql.literal(
        `outbox_mail_id as "outboxMailID", customer_id as "customerID", recipient, content, created_at as "createdAt"`
      )
      const select = SqlSchema.findAll({
        Request: Schema.Struct({ only: Schema.NullOr(Schema.Int), count: Schema.Int }),
        Result: Row,
        execute: (_) => sql`
          /* all customers: the operator reads the outbox of the whole service */
          select ${columns} from outbox_mail
          where ${_.only}::int is null or outbox_mail_id = ${_.only}::int
          order by outbox_mail_id desc limit ${_.count}`
      })
      const selectOwn = SqlSchema.findAll({
        Request: Schema.Struct({ customerID: CustomerID, ids: Schema.Array(Schema.Int) }),
        Result: Row,
        execute: (_) => sql`
          select ${columns} from outbox_mail
          where customer_id = ${_.customerID} and outbox_mail_id = any(${_.ids}::int[]) order by outbox_mail_id`
      })
      const read = Effect.fnUntraced(function* (row: typeof Row.Type) {
        const { subject, text } = yield* secrets
          .decrypt(place(row.customerID), row.content)
          .pipe(Effect.flatMap(Schema.decode(Content)))
        return { ...known(row), subject, text }
      }, Effect.orDie)
      const readIfPossible = (row: typeof Row.Type) =>
        Effect.catchAllDefect(read(row), () => Effect.succeed({ ...known(row), subject: "(unreadable)", text: "" }))
      return {
        keep: (customerID, { about = null, messageId = null, subject, text, to }) =>
          Schema.encode(Content)({ subject, text }).pipe(
            Effect.map((content) => secrets.encrypt(place(customerID), content)),
            Effect.zipLeft(fence),
            Effect.flatMap((content) => insert({ customerID, recipient: to, content, messageID: messageId, about })),
            Effect.map((row) => row.outboxMailID),
            inTransaction(sql),
            Effect.orDie
          ),
        newest: (count) =>
          select({ only: null, count }).pipe(Effect.orDie, Effect.flatMap(Effect.forEach(readIfPossible))),
        each: (customerID, outboxMailIDs) =>
          Stream.fromIterable(outboxMailIDs).pipe(
            Stream.grouped(readAtOnce),
            Stream.mapEffect((ids) => Effect.orDie(selectOwn({ customerID, ids: [...ids] }))),
            Stream.flattenIterables,
            Stream.mapEffect(readIfPossible)
          ),
        find: (only) =>
          select({ only, count: 1 }).pipe(
            Effect.orDie,
            Effect.flatMap(Effect.forEach(read)),
            Effect.map((mails) => Option.fromNullable(mails[0]))
          )
      }
    })
  )
}
