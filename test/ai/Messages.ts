import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import { ChannelID, CustomerID, TicketMessageID } from "../../schema/Ids.ts"

export const customerNamed = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ id: number }>`select customer_id as id from customer where name = ${name}`
    return CustomerID.make((yield* Effect.fromNullable(row)).id)
  })

export const acme = customerNamed("Acme Rentals")

/** A ticket with one message of an end user. */
export const newMessage = (customerID: CustomerID, text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ id: number }>`
      with channel as (
        select customer_id, channel_id from channel where customer_id = ${customerID} order by channel_id limit 1),
      made as (
        insert into ticket (customer_id, channel_id, status)
        select customer_id, channel_id, 'Open' from channel where customer_id = ${customerID}
        returning customer_id, ticket_id, channel_id)
      insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status, message)
      select customer_id, ticket_id, channel_id, 'EndUser', 'Received', ${text} from made
      where customer_id = ${customerID}
      returning ticket_message_id as id`
    return TicketMessageID.make((yield* Effect.fromNullable(row)).id)
  })

/** The demo channel of this type that the representative's customer has. */
export const channelOfType = (username: string, channelType: ChannelType) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ id: number }>`
      select c.channel_id as id from channel c
      join customer_rep r on r.customer_id = c.customer_id and r.username = ${username}
      where c.customer_id = r.customer_id and c.channel_type = ${channelType} order by c.channel_id limit 1
      /* all customers: a username is unique over all */`
    return ChannelID.make((yield* Effect.fromNullable(row)).id)
  })
