import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type CustomerID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { TicketMessage } from "../../schema/TicketMessages.ts"
import { knownBy } from "../endUsers/SendersRepo.ts"
import type { Following } from "../events/Events.ts"
import { type ReadyJson, readyJson } from "../platform/database/ReadyJson.ts"
import { searchPatterns } from "../platform/database/SearchWords.ts"
import { writtenOnce } from "../platform/database/WrittenOnce.ts"
import { newMessageColumns } from "./MessageColumns.ts"
import { type NewMessage, storing, valueOf } from "./NewMessageSql.ts"

export interface Opening {
  /** The words by which the sender may be known. */
  readonly words: ReadonlyArray<string>
  readonly subject: string | null
  readonly message: NewMessage
  readonly following: Following
}

export interface Opened {
  readonly ticketID: TicketID
  readonly ticketMessageID: TicketMessageID
  readonly shown: ReadyJson<TicketMessage>
}

/**
 * Stores the first message of a known sender with its ticket and everything that follows: the most frequent case takes
 * one statement and one round trip. Returns none, and writes nothing, when the sender is new or the channel does not
 * exist.
 */
export class OpeningsRepo extends Context.Tag("casework/OpeningsRepo")<
  OpeningsRepo,
  { readonly open: (customerID: CustomerID, opening: Opening) => Effect.Effect<Option.Option<Opened>> }
>() {
  static readonly layer = Layer.effect(
    OpeningsRepo,
    Effect.suspend(() => make)
  )
}

const Rows = Schema.Array(
  Schema.Struct({
    ticketID: TicketID,
    ticketMessageID: TicketMessageID,
    json: Schema.String,
    eventIDs: Schema.Array(Schema.String)
  })
)

interface Values extends Opening {
  readonly customerID: CustomerID
  /** The search patterns of each word. */
  readonly patterns: ReadonlyArray<ReadonlyArray<string>>
}

/** A sender's words come from an address or a name: more shapes than this come only from someone who is probing. */
const mostShapes = 100

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const decode = Schema.decodeUnknown(Rows)
  const columns = sql.literal(newMessageColumns)

  const write = ({ following, patterns }: Values) =>
    writtenOnce<Values>(sql, (place) => {
      const customerID = place((_) => _.customerID)
      const words = patterns.map((ofWord, at) => ({
        word: place((_) => _.words[at]),
        patterns: ofWord.map((_, of) => place((values) => values.patterns[at]?.[of]))
      }))
      const followingPlace: Parameters<Following["parts"]>[0] = (of) => place((_) => of(_.following.values))
      const message = (name: keyof NewMessage) => place((_) => valueOf(_.message, name))
      return sql`
        with opened as (
          insert into ticket (customer_id, channel_id, end_user_id, status, subject, last_sender_type, last_message_at)
          select ${customerID}::int, channel.channel_id, sender.end_user_id, 'Open', ${place((_) => _.subject)}::text,
            ${message("senderType")}::text, now()
          from channel cross join (
            select end_user_id from end_user
            where customer_id = ${customerID} and end_user_id = (select ${knownBy(sql, customerID, words)} offset 0)
            for key share) sender
          where channel.customer_id = ${customerID} and channel.channel_id = ${message("channelID")}
            and channel.deleted_at is null
          returning ticket_id),
        stored as (${storing(sql, customerID, message, sql`opened ticket`)} returning *)
        ${following.parts(followingPlace)}
        select shown."ticketID", shown."messageID" as "ticketMessageID", row_to_json(shown)::text as json,
          ${following.eventIDs(followingPlace)} as "eventIDs"
        from (select ${columns} from stored m) shown`
    })

  const written = new Map<string, ReturnType<typeof write>>()
  const statementFor = (values: Values) => {
    const shape = `${values.following.shape} ${values.patterns.map(({ length }) => length).join(" ")}`
    const known = written.get(shape)
    if (known !== undefined) return known
    const made = write(values)
    if (written.size >= mostShapes) written.clear()
    written.set(shape, made)
    return made
  }

  return OpeningsRepo.of({
    open: Effect.fnUntraced(function* (customerID, opening) {
      const values = { ...opening, customerID, patterns: opening.words.map(searchPatterns) }
      // A caller that disconnects meanwhile must not keep others from being notified.
      const [opened] = yield* statementFor(values)(values).pipe(
        Effect.flatMap(decode),
        Effect.tap(([stored]) =>
          stored === undefined ? Effect.void : opening.following.told(customerID, stored.eventIDs)
        ),
        Effect.uninterruptible
      )
      if (opened === undefined) return Option.none()
      const { json, ticketID, ticketMessageID } = opened
      return Option.some({ ticketID, ticketMessageID, shown: readyJson(TicketMessage, json) })
    }, Effect.orDie)
  })
})
