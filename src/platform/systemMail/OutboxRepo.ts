import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CustomerID, TicketMessageID } from "../../../schema/Ids.ts"

const Row = Schema.Struct({
  outboxMailID: Schema.Int,
  customerID: CustomerID,
  recipient: Schema.String,
  /** Encrypted. */
  content: Schema.String,
  createdAt: Schema.DateFromSelf
})
export type OutboxRow = typeof Row.Type

export const makeOutboxRepo = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(
    `outbox_mail_id as "outboxMailID", customer_id as "customerID", recipient, content, created_at as "createdAt"`
  )

  return {
    insert: SqlSchema.single({
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
    }),

    newest: SqlSchema.findAll({
      Request: Schema.Int,
      Result: Row,
      execute: (count) => sql`
        /* all customers: the operator reads the outbox of the whole service */
        select ${columns} from outbox_mail order by outbox_mail_id desc limit ${count}`
    }),

    find: SqlSchema.findOne({
      Request: Schema.Int,
      Result: Row,
      execute: (outboxMailID) => sql`
        /* all customers: the operator reads the outbox of the whole service */
        select ${columns} from outbox_mail where outbox_mail_id = ${outboxMailID}`
    }),

    findOwn: SqlSchema.findAll({
      Request: Schema.Struct({ customerID: CustomerID, ids: Schema.Array(Schema.Int) }),
      Result: Row,
      execute: (_) => sql`
        select ${columns} from outbox_mail
        where customer_id = ${_.customerID} and outbox_mail_id = any(${_.ids}::int[]) order by outbox_mail_id`
    })
  }
})
