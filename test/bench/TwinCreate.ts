import type pg from "pg"
import { messageSql } from "./TwinSql.ts"

export interface NewMessage {
  readonly channelID: number
  readonly uid: string
  readonly message: string
}

const one = async (client: pg.PoolClient, name: string, text: string, values: ReadonlyArray<unknown>) =>
  (await client.query<{ readonly id: number }>({ name, text, values: [...values] })).rows[0]

const inserted = async (...given: Parameters<typeof one>) => {
  const row = await one(...given)
  if (row === undefined) throw new Error(`${given[1]} returned no row`)
  return row
}

/** Stores a message that opens a ticket, in one transaction: the work of create-new, written in the most direct way. */
export const createMessage = async (pool: pg.Pool, customerID: number, { channelID, message, uid }: NewMessage) => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const channel = await one(
      client,
      "channel",
      "select 1 from channel where customer_id = $1 and channel_id = $2 and deleted_at is null",
      [customerID, channelID]
    )
    if (channel === undefined) throw new Error("no such channel")
    const known = await one(
      client,
      "sender",
      "select end_user_id as id from end_user_uid where customer_id = $1 and lower(uid) = lower($2) order by end_user_id limit 1",
      [customerID, uid]
    )
    const endUserID =
      known?.id ??
      (
        await inserted(
          client,
          "end_user",
          "insert into end_user (customer_id, first_name, last_name, search_text) values ($1, $2, '', $2) returning end_user_id as id",
          [customerID, uid]
        )
      ).id
    const ticket = await inserted(
      client,
      "new_ticket",
      `insert into ticket (customer_id, channel_id, end_user_id, status, subject, last_sender_type, last_message_at)
       values ($1, $2, $3, 'Open', $4, 'EndUser', now()) returning ticket_id as id`,
      [customerID, channelID, endUserID, message.slice(0, 100)]
    )
    const stored = await inserted(
      client,
      "new_message",
      `insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status, message, preview, uid)
       values ($1, $2, $3, 'EndUser', 'Received', $4, $5, $6) returning ticket_message_id as id`,
      [customerID, ticket.id, channelID, message, message.slice(0, 200), uid]
    )
    await one(
      client,
      "event",
      `insert into event (customer_id, kind, ticket_id, ticket_message_id)
       values ($1, 'TicketCreated', $2, null), ($1, 'MessageReceived', $2, $3)`,
      [customerID, ticket.id, stored.id]
    )
    const answer = await one(client, "answer", messageSql, [customerID, stored.id])
    await client.query("commit")
    return answer
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
}
