import { SqlClient } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomFields } from "../../schema/CustomFields.ts"
import { ChannelID, type CustomerID, CustomerRepID, EndUserID, TicketID } from "../../schema/Ids.ts"
import { TicketStatus } from "../../schema/Operations.ts"
import type { SenderType } from "../../schema/TicketMessages.ts"
import type { TicketState } from "./TicketState.ts"

const Locked = Schema.Struct({
  ticketID: TicketID,
  channelID: ChannelID,
  endUserID: Schema.NullOr(EndUserID),
  status: TicketStatus,
  isSpam: Schema.Boolean,
  customerRepID: Schema.NullOr(CustomerRepID),
  subject: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  customFieldsData: CustomFields
})
export type LockedTicket = typeof Locked.Type

interface NewTicket {
  readonly channelID: ChannelID
  readonly endUserID: EndUserID | null
  readonly status: TicketStatus
  readonly subject: string | null
  readonly customFieldsData: CustomFields
  /** Who wrote the message that follows in the same transaction, if the ticket is created for one. */
  readonly firstSender?: SenderType
}

export interface TicketFields {
  readonly channelID?: ChannelID
  readonly endUserID?: EndUserID | null
  readonly subject?: string | null
  readonly language?: string | null
  readonly customFieldsData?: CustomFields | null
}

export class TicketsRepo extends Context.Tag("casework/TicketsRepo")<
  TicketsRepo,
  {
    readonly insert: (customerID: CustomerID, ticket: NewTicket) => Effect.Effect<TicketID>
    readonly find: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<Option.Option<LockedTicket>>
    /** Locks those of the given tickets that belong to the customer, until the transaction ends. */
    readonly lock: (
      customerID: CustomerID,
      ticketIDs: ReadonlyArray<TicketID>
    ) => Effect.Effect<ReadonlyArray<LockedTicket>>
    readonly saveStates: (
      customerID: CustomerID,
      tickets: ReadonlyArray<TicketState & { readonly ticketID: TicketID }>
    ) => Effect.Effect<void>
    readonly update: (customerID: CustomerID, ticketID: TicketID, fields: TicketFields) => Effect.Effect<void>
    /** The language that the end user writes in, if it is known. */
    readonly languageOf: (customerID: CustomerID, ticketID: TicketID) => Effect.Effect<string | null>
    readonly setCustomField: (
      customerID: CustomerID,
      ticketID: TicketID,
      key: string,
      value: string
    ) => Effect.Effect<void>
    readonly delete: (customerID: CustomerID, ticketIDs: ReadonlyArray<TicketID>) => Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.effect(
    TicketsRepo,
    Effect.suspend(() => make)
  )
}

const columnsOf = ({ channelID, customFieldsData, endUserID, language, subject }: TicketFields) =>
  Object.fromEntries(
    Object.entries({
      channel_id: channelID,
      end_user_id: endUserID,
      subject,
      language,
      custom_fields: customFieldsData === undefined ? undefined : JSON.stringify(customFieldsData ?? {})
    }).filter(([, value]) => value !== undefined)
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const decodeKeys = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ ticketID: TicketID })))
  const decodeLanguages = Schema.decodeUnknown(Schema.Array(Schema.Struct({ language: Schema.NullOr(Schema.String) })))
  const decodeLocked = Schema.decodeUnknown(Schema.Array(Locked))

  const select = (customerID: CustomerID, ticketIDs: ReadonlyArray<TicketID>, lock: string) =>
    sql`
      select ticket_id as "ticketID", channel_id as "channelID", end_user_id as "endUserID", status,
        is_spam as "isSpam", customer_rep_id as "customerRepID", subject, language,
        custom_fields as "customFieldsData"
      from ticket where customer_id = ${customerID} and ticket_id = any(${[...ticketIDs]}::int[])
      order by ticket_id ${sql.literal(lock)}`.pipe(Effect.flatMap(decodeLocked), Effect.orDie)

  return TicketsRepo.of({
    insert: (customerID, { channelID, customFieldsData, endUserID, firstSender = null, status, subject }) =>
      sql`
        insert into ticket (customer_id, channel_id, end_user_id, status, subject, custom_fields, last_sender_type,
          last_message_at)
        values (${customerID}, ${channelID}, ${endUserID}, ${status}, ${subject},
          ${JSON.stringify(customFieldsData)}::jsonb, ${firstSender}, case when ${firstSender !== null} then now() end)
        returning ticket_id as "ticketID"`.pipe(
        Effect.flatMap(decodeKeys),
        Effect.map(([{ ticketID }]) => ticketID),
        Effect.orDie
      ),

    // Not for update: rows that refer to a ticket can still be written while it is locked.
    find: (customerID, ticketID) => select(customerID, [ticketID], "").pipe(Effect.map(Arr.head)),

    lock: (customerID, ticketIDs) => select(customerID, ticketIDs, "for no key update"),

    saveStates: (customerID, tickets) =>
      sql`
        update ticket t set status = n.status, is_spam = n.is_spam, customer_rep_id = n.customer_rep_id,
          modified_at = now()
        from unnest(${tickets.map((ticket) => ticket.ticketID)}::int[], ${tickets.map((ticket) => ticket.status)}::text[],
          ${tickets.map((ticket) => ticket.isSpam)}::boolean[],
          ${tickets.map((ticket) => ticket.customerRepID)}::int[]) as n (ticket_id, status, is_spam, customer_rep_id)
        where t.customer_id = ${customerID} and t.ticket_id = n.ticket_id`.pipe(Effect.asVoid, Effect.orDie),

    update: (customerID, ticketID, fields) =>
      sql`
        update ticket set ${sql.update({ ...columnsOf(fields) })}, modified_at = now()
        where customer_id = ${customerID} and ticket_id = ${ticketID}`.pipe(Effect.asVoid, Effect.orDie),

    languageOf: (customerID, ticketID) =>
      sql`select language from ticket where customer_id = ${customerID} and ticket_id = ${ticketID}`.pipe(
        Effect.flatMap(decodeLanguages),
        Effect.map(([row]) => row?.language ?? null),
        Effect.orDie
      ),

    setCustomField: (customerID, ticketID, key, value) =>
      sql`
        update ticket set custom_fields = jsonb_set(custom_fields, array[${key}]::text[], to_jsonb(${value}::text)),
          modified_at = now()
        where customer_id = ${customerID} and ticket_id = ${ticketID}`.pipe(Effect.asVoid, Effect.orDie),

    delete: (customerID, ticketIDs) =>
      sql`
        delete from ticket where customer_id = ${customerID} and ticket_id = any(${[...ticketIDs]}::int[])
        returning ticket_id`.pipe(
        Effect.map((rows) => rows.length),
        Effect.orDie
      )
  })
})
