import { SqlClient } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomFields } from "../../schema/CustomFields.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import type { MessageContext } from "./MessageContext.ts"

const text = Schema.NullOr(Schema.String)

const Found = Schema.Struct({
  message: Schema.Struct({ text, subject: text }),
  ticket: Schema.Struct({ id: Schema.Int, subject: text, status: Schema.String, fields: CustomFields }),
  endUser: Schema.NullOr(
    Schema.Struct({ firstName: text, lastName: text, displayName: text, email: text, phone: text, customerRef: text })
  )
})

/** What placeholders can use from a message, its ticket and its end user. */
export class MessageContextsRepo extends Context.Tag("casework/MessageContextsRepo")<
  MessageContextsRepo,
  {
    readonly find: (customerID: CustomerID, ticketMessageID: number) => Effect.Effect<Option.Option<MessageContext>>
  }
>() {
  static readonly layer = Layer.effect(
    MessageContextsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknown(Schema.Array(Found))
      return {
        find: (customerID, ticketMessageID) =>
          sql`
            select json_build_object('text', m.message, 'subject', m.subject) as message,
              json_build_object('id', t.ticket_id, 'subject', t.subject, 'status', t.status,
                'fields', t.custom_fields) as ticket,
              case when e.end_user_id is not null then json_build_object('firstName', e.first_name,
                'lastName', e.last_name, 'displayName',
                coalesce(nullif(e.display_name, ''), trim(e.first_name || ' ' || e.last_name)),
                'email', e.email, 'phone', e.phone, 'customerRef', e.customer_ref) end as "endUser"
            from ticket_message m
            join ticket t on t.customer_id = m.customer_id and t.ticket_id = m.ticket_id
            left join end_user e on e.customer_id = t.customer_id and e.end_user_id = t.end_user_id
            where m.customer_id = ${customerID} and m.ticket_message_id = ${ticketMessageID}`.pipe(
            Effect.flatMap(decode),
            Effect.map(Arr.head),
            Effect.orDie
          )
      }
    })
  )
}
