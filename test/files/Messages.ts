import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { CustomerID, TicketMessageID } from "../../schema/Ids.ts"

const decode = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ messageID: TicketMessageID })))

/** A message in a ticket of its own, on the customer's mail channel. */
export const aMessage = (customerID: number, senderType: "EndUser" | "CustomerRep" = "EndUser") =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`
      with mail as (select customer_id, channel_id from channel
          where customer_id = ${customerID} and channel_type = 'Email'),
        parent as (insert into ticket (customer_id, channel_id, status)
          select customer_id, channel_id, 'Open' from mail where mail.customer_id = ${customerID}
          returning customer_id, ticket_id, channel_id)
      insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status)
      select customer_id, ticket_id, channel_id, ${senderType}, 'Received' from parent
      returning ticket_message_id as "messageID"`
    const [{ messageID }] = yield* decode(rows)
    return { customerID: CustomerID.make(customerID), messageID }
  }).pipe(Effect.orDie)
