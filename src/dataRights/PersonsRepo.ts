import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CustomerID, EndUserID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { DataRequest } from "./DataRequestsRepo.ts"

/** An end user, and how its traces are found. */
export interface Person {
  readonly customerID: CustomerID
  readonly endUserID: EndUserID
  /** Names, addresses and UIDs in lower case that are this person's and nobody else's. */
  readonly words: ReadonlyArray<string>
  readonly ticketIDs: ReadonlyArray<TicketID>
  /** Those in its tickets, and those to or from it elsewhere. */
  readonly messageIDs: ReadonlyArray<TicketMessageID>
}

export class PersonsRepo extends Context.Tag("casework/PersonsRepo")<
  PersonsRepo,
  {
    /** Locks the end user and its tickets while in a transaction: nothing more is added to them meanwhile. */
    readonly find: (customerID: CustomerID, endUserID: EndUserID) => Effect.Effect<Option.Option<Person>>
    /** What is left of one who was erased: the same tickets, with what somebody was just adding to them. */
    readonly findLeftOver: (request: DataRequest) => Effect.Effect<Person>
  }
>() {
  static readonly layer = Layer.effect(
    PersonsRepo,
    Effect.suspend(() => make)
  )
}

/** Shorter ones would be found in everybody's texts. */
const shortestWord = 4

const Words = Schema.Struct({ words: Schema.Array(Schema.NullOr(Schema.String)) })
const Key = Schema.Struct({ customerID: CustomerID, endUserID: EndUserID })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findWords = SqlSchema.findOne({
    Request: Key,
    Result: Words,
    execute: (_) => sql`
      select array[lower(email), lower(phone), lower(display_name), lower(trim(first_name || ' ' || last_name))]
        || array(select lower(uid) from end_user_uid u
          where u.customer_id = ${_.customerID} and u.end_user_id = ${_.endUserID}) as words
      from end_user where customer_id = ${_.customerID} and end_user_id = ${_.endUserID} for update`
  })
  const findShared = SqlSchema.findAll({
    Request: Schema.Struct({ ...Key.fields, words: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ word: Schema.String }),
    execute: (_) => sql`
      select word from end_user e
      cross join lateral unnest(array[lower(email), lower(phone), lower(display_name),
        lower(trim(first_name || ' ' || last_name))]) word
      where e.customer_id = ${_.customerID} and e.end_user_id <> ${_.endUserID} and word = any(${_.words}::text[])
      union
      select lower(uid) from end_user_uid u
      where u.customer_id = ${_.customerID} and u.end_user_id <> ${_.endUserID} and lower(uid) = any(${_.words}::text[])`
  })
  const findTickets = SqlSchema.findAll({
    Request: Key,
    Result: Schema.Struct({ ticketID: TicketID }),
    execute: (_) => sql`
      select ticket_id as "ticketID" from ticket
      where customer_id = ${_.customerID} and end_user_id = ${_.endUserID} order by ticket_id for update`
  })
  const findMessages = SqlSchema.findAll({
    Request: Schema.Struct({
      customerID: CustomerID,
      ticketIDs: Schema.Array(TicketID),
      words: Schema.Array(Schema.String)
    }),
    Result: Schema.Struct({ messageID: TicketMessageID }),
    execute: (_) => sql`
      select ticket_message_id as "messageID" from ticket_message
      where customer_id = ${_.customerID} and (ticket_id = any(${_.ticketIDs}::int[])
        or lower(from_address) = any(${_.words}::text[]) or lower(uid) = any(${_.words}::text[])
        or regexp_split_to_array(lower(from_address), '[,;<>[:space:]]+') && ${_.words}::text[]
        or regexp_split_to_array(lower(to_address), '[,;<>[:space:]]+') && ${_.words}::text[])
      order by ticket_message_id`
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
      // The tickets first, as everybody locks them who deletes an end user.
      yield* findTickets({ customerID, endUserID })
      const found = yield* findWords({ customerID, endUserID })
      if (Option.isNone(found)) return Option.none()
      const own = [...new Set(found.value.words.filter((word) => word !== null))].filter(
        ({ length }) => length >= shortestWord
      )
      const shared = new Set((yield* findShared({ customerID, endUserID, words: own })).map(({ word }) => word))
      const words = own.filter((word) => !shared.has(word))
      const ticketIDs = (yield* findTickets({ customerID, endUserID })).map(({ ticketID }) => ticketID)
      const messages = yield* findMessages({ customerID, ticketIDs, words })
      return Option.some({
        customerID,
        endUserID,
        words,
        ticketIDs,
        messageIDs: messages.map(({ messageID }) => messageID)
      })
    }, Effect.orDie),

    findLeftOver: fn("PersonsRepo.findLeftOver")(function* (request) {
      const { customerID, endUserID, ticketIDs } = request
      const late = (yield* findLate(request)).map(({ messageID }) => messageID)
      return { customerID, endUserID, words: [], ticketIDs, messageIDs: [...new Set([...request.messageIDs, ...late])] }
    }, Effect.orDie)
  })
})
