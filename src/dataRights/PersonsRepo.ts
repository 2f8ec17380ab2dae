import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CustomerID, EndUserID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { DataRequest } from "../endUsers/DataRequestsRepo.ts"
import { spellingsOf } from "../endUsers/SenderIdentity.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { addressParts } from "./AddressParts.ts"

/** An end user and what identifies its traces. Names are not used: anybody may share one or choose any. */
export interface Person {
  readonly customerID: CustomerID
  readonly endUserID: EndUserID
  /** E-mail addresses, numbers and UIDs in lower case that belong to this person and nobody else. */
  readonly addresses: ReadonlyArray<string>
  /** Those addresses that are also searched for inside texts. */
  readonly marks: ReadonlyArray<string>
  /** The person's tickets, and those without an end user that the person started. */
  readonly ticketIDs: ReadonlyArray<TicketID>
  /** The messages in those tickets, and those from or to the person elsewhere. */
  readonly messageIDs: ReadonlyArray<TicketMessageID>
}

export class PersonsRepo extends Context.Tag("casework/PersonsRepo")<
  PersonsRepo,
  {
    /** Within a transaction, locks the end user and its tickets: nothing is added to them meanwhile. */
    readonly find: (customerID: CustomerID, endUserID: EndUserID) => Effect.Effect<Option.Option<Person>>
    /** What remains of an erased person: the same tickets, with messages that were being added during the erasure. */
    readonly findLeftOver: (request: DataRequest) => Effect.Effect<Person>
  }
>() {
  static readonly layer = Layer.effect(
    PersonsRepo,
    Effect.suspend(() => make)
  )
}

const looksLikeMail = /^[^\s@]+@[^\s@]+$/
const looksLikePhone = /^\+?(?:[\s()./-]*\d){7,}$/
const looksLikeKey = /^(?=.*\p{N})\S{7,}$/u
const looksLikeDate = /^\d{4}-\d\d-\d\d/

/**
 * Whether an address is distinctive. A UID can be any word or phrase, even one that is in everybody's texts; an
 * address, a number or a key hardly is.
 */
export const isMark = (address: string) =>
  [looksLikeMail, looksLikePhone, looksLikeKey].some((look) => look.test(address)) && !looksLikeDate.test(address)

const Found = Schema.Struct({ addresses: Schema.Array(Schema.NullOr(Schema.String)) })
const Key = Schema.Struct({ customerID: CustomerID, endUserID: EndUserID })
const texts = Schema.Array(Schema.String)
const Traced = Schema.Struct({ customerID: CustomerID, addresses: texts, marks: texts })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findAddresses = SqlSchema.findOne({
    Request: Key,
    Result: Found,
    execute: (_) => sql`
      select array[lower(email), lower(phone)]
        || array(select lower(uid) from end_user_uid u
          where u.customer_id = ${_.customerID} and u.end_user_id = ${_.endUserID}) as addresses
      from end_user where customer_id = ${_.customerID} and end_user_id = ${_.endUserID} for update`
  })
  /** Addresses that others have as well: end users, representatives, and the channels that everybody writes to. */
  const findShared = SqlSchema.findAll({
    Request: Schema.Struct({ ...Key.fields, addresses: texts }),
    Result: Schema.Struct({ address: Schema.String }),
    execute: (_) => sql`
      select address from (
        select unnest(array[email, phone]) from end_user
        where customer_id = ${_.customerID} and end_user_id <> ${_.endUserID}
        union all
        select uid from end_user_uid where customer_id = ${_.customerID} and end_user_id <> ${_.endUserID}
        union all
        select unnest(array[email_address, phone_number, connection_details]) from channel
        where customer_id = ${_.customerID}
        union all
        select unnest(array[email, phone_number]) from customer_rep where customer_id = ${_.customerID}
      ) others (one) cross join lateral lower(one) address
      where address = any(${_.addresses}::text[])`
  })
  const findTickets = SqlSchema.findAll({
    Request: Key,
    Result: Schema.Struct({ ticketID: TicketID }),
    execute: (_) => sql`
      select ticket_id as "ticketID" from ticket
      where customer_id = ${_.customerID} and end_user_id = ${_.endUserID} order by ticket_id for update`
  })
  const partsOf = (column: string) => sql.literal(addressParts(column))
  const isFrom = ({ addresses, marks }: Pick<typeof Traced.Type, "addresses" | "marks">) => sql`(
    lower(m.from_address) = any(${addresses}::text[]) or lower(m.uid) = any(${addresses}::text[])
    or ${partsOf("m.from_address")} && ${marks}::text[])`

  /** Tickets without an end user: it may have been deleted, or the ticket taken from it. */
  const findOrphans = SqlSchema.findAll({
    Request: Traced,
    Result: Schema.Struct({ ticketID: TicketID }),
    execute: (_) => sql`
      select ticket_id as "ticketID" from ticket
      where customer_id = ${_.customerID} and end_user_id is null and ticket_id in (
        select m.ticket_id from ticket_message m
        where m.customer_id = ${_.customerID} and m.sender_type = 'EndUser' and ${isFrom(_)} and not exists (
          select from ticket_message earlier where earlier.customer_id = ${_.customerID}
            and earlier.ticket_id = m.ticket_id and earlier.ticket_message_id < m.ticket_message_id))
      order by ticket_id for update`
  })
  const findMessages = SqlSchema.findAll({
    Request: Schema.Struct({ ...Traced.fields, ticketIDs: Schema.Array(TicketID) }),
    Result: Schema.Struct({ messageID: TicketMessageID }),
    execute: (_) => sql`
      select m.ticket_message_id as "messageID" from ticket_message m
      where m.customer_id = ${_.customerID} and (m.ticket_id = any(${_.ticketIDs}::int[]) or ${isFrom(_)}
        or m.sender_type <> 'EndUser' and ${partsOf("m.to_address")} && ${_.marks}::text[])
      order by m.ticket_message_id`
  })
  const findLate = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, dataRequestID: Schema.UUID }),
    Result: Schema.Struct({ messageID: TicketMessageID }),
    execute: (_) => sql`
      select m.ticket_message_id as "messageID" from data_request d
      join ticket_message m on m.customer_id = d.customer_id and m.ticket_id = any(d.ticket_ids)
      where d.customer_id = ${_.customerID} and d.data_request_id = ${_.dataRequestID}::uuid
        and m.created_at <= d.erased_at`
  })

  return PersonsRepo.of({
    find: fn("PersonsRepo.find")(function* (customerID, endUserID) {
      // Locks the tickets first, as every transaction that deletes an end user does.
      yield* findTickets({ customerID, endUserID })
      const found = yield* findAddresses({ customerID, endUserID })
      if (Option.isNone(found)) return Option.none()
      const own = [...new Set(found.value.addresses.filter((address) => address !== null).flatMap(spellingsOf))]
      const shared = new Set(
        (yield* findShared({ customerID, endUserID, addresses: own })).map(({ address }) => address)
      )
      const isShared = (address: string) => spellingsOf(address).some((spelling) => shared.has(spelling))
      const addresses = own.filter((address) => address !== "" && !isShared(address))
      const traced = { customerID, addresses, marks: addresses.filter(isMark) }
      const tickets = [...(yield* findTickets({ customerID, endUserID })), ...(yield* findOrphans(traced))]
      const ticketIDs = tickets.map(({ ticketID }) => ticketID)
      const messages = yield* findMessages({ ...traced, ticketIDs })
      return Option.some({
        ...traced,
        endUserID,
        ticketIDs,
        messageIDs: messages.map(({ messageID }) => messageID)
      })
    }, Effect.orDie),

    findLeftOver: fn("PersonsRepo.findLeftOver")(function* (request) {
      const { customerID, endUserID, ticketIDs } = request
      const late = (yield* findLate(request)).map(({ messageID }) => messageID)
      const messageIDs = [...new Set([...request.messageIDs, ...late])]
      return { customerID, endUserID, addresses: [], marks: [], ticketIDs, messageIDs }
    }, Effect.orDie)
  })
})
